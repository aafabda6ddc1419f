// Names of kernels as libraries write them, and the class each belongs to. The names are those of PyTorch, Triton, cuDNN,
// cuBLAS, CUTLASS, FlashAttention, FlashInfer, FlashMLA, DeepGEMM, DeepEP, TensorRT-LLM, vLLM, SGLang, Transformer Engine,
// AITER, AOTriton, MIOpen, MORI, NCCL and XLA; template arguments are cut short.

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "model/trace/kernel_rules.h"

using namespace ridgepoint;

namespace {

struct Named {
    KernelClass expected;
    std::vector<std::string_view> names;
};

std::vector<Named> named_kernels()
{
    return {
        {KernelClass::attention,
         {"_fwd_grouped_kernel_stage1",
          "_fwd_kernel_stage2",
          "_attn_fwd.kd",
          "attn_fwd",
          "bwd_kernel_dk_dv",
          "bwd_kernel_dq",
          "bwd_kernel_fuse",
          "_attn_bwd_dkdv",
          "mla_dec_stage1_bf16_a16w16_subQ128_mqa128",
          "mla_a8w8_qh16_qseqlen1_gqaratio16",
          "_ZN5aiter22fmha_fwd_hd128_bf16_causalE",
          "kernel_unified_attention_2d",
          "void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits>",
          "void flashinfer::PersistentVariableLengthMergeStatesKernel<8u>",
          "void flashinfer::mla::BatchMLAPagedAttentionKernel<>",
          "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<>>>",
          "void sm90::decode::flash_fwd_splitkv_mla_kernel<>",
          "fmhaSm100fKernel_QkvE4m3OBfloat16H128PagedKvDense",
          "triton_tem_fused_flex_attention_0",
          "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob",
          "kernel_cutlass_kernel_flash_attncuteflash_fwd_sm100FlashAttentionForwardSm100",
          "void flashinfer::MergeStatesKernel<>",
          "void selective_scan_fwd_kernel<>",
          "_chunk_scan_fwd_kernel",
          "chunk_gated_delta_rule_fwd_kernel_h_blockdim64",
          "fused_recurrent_gated_delta_rule_fwd_kernel"}},
        {KernelClass::gemm,
         {"void aiter::fmoe_bf16_pertokenFp8_g1u1_vs_silu_1tg_32x320",
          "fmoe_fp8_blockscale_g1u1_subGU_256",
          "void ck_tile::kentry<1, ck_tile::FlatmmKernel<>>",
          "void deep_gemm::sm90_fp8_gemm_1d2d_impl<>",
          "bmm_Bfloat16_E2m1E2m1_Fp32_t128x8x512u2_s4_et64x8",
          "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNT",
          "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64",
          "volta_sgemm_128x64_nn",
          "void gemv2T_kernel_val<int, int, __half>",
          "triton_mm_kernel",
          "triton_tem_fused_mm_5",
          "void cutlass::device_kernel<flashinfer::gemm::MmaSm100>",
          "void tinygemm_m16n8k16_chunk_kernel<>",
          "matmul_kernel_persistent",
          "_matmul_ogs_NNT_bf16xbf16xmxfp4_128x256x128x1",
          "_w8a8_triton_block_scaled_mm",
          "_w8a8_block_fp8_matmul",
          "void wvSplitK_hf_sml_<__half>",
          "mfma_moe1_silu_a16w4",
          "_p_matmul_ogs_NNT",
          "fused_moe_kernel",
          "moe_gemm1_0",
          "void cublasLt::splitKreduce_kernel<>",
          "gemm_fusion_dot.460",
          "_grouped_gemm_fwd_kernel"}},
        {KernelClass::collective,
         {"void moe_comm::moeA2ADispatchKernel<>",
          "void tensorrt_llm::kernels::moe_alltoall::moeA2ACombineKernel<>",
          "hybrid_ep::dispatch_kernel<>",
          "mori::moe::EpDispatchIntraNodeKernel<>",
          "mori::moe::EpCombineInterNodeKernel",
          "void deep_ep::internode_ll::dispatch<false>",
          "ncclSymkDevKernel_AllReduce_RSxLDMC_AGxSTMC_sum_bf16",
          "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL",
          "ncclKernel_Generic_1",
          "void vllm::cross_device_reduce_2stage<__nv_bfloat16, 8>",
          "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<>",
          "all-reduce-start.1"}},
        {KernelClass::norm,
         {"void transformer_engine::normalization::rmsnorm_bwd_finalize_tuned_kernel",
          "void transformer_engine::normalization::ln_fwd_tuned_kernel<>",
          "void cuComputePartGradGammaBeta<>",
          "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<>",
          "void (anonymous namespace)::cuComputeGradInput<>",
          "void cuApplyLayerNorm<>",
          "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>",
          "void vllm::fused_add_rms_norm_kernel<>",
          "fused_qk_norm_rope_kernel",
          "void at::native::batch_norm_collect_statistics_channels_last_kernel"}},
        {KernelClass::convolution,
         {"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt256x128x32",
          "igemm_bwd_data_gtcx_nhwc_fp32",
          "igemm_wrw_gtcx3_nhwc_fp16",
          "naive_conv_fwd_nchw",
          "sm80_xmma_fprop_implicit_gemm_bf16bf16",
          "miopenSp3AsmConv_v30",
          "_causal_conv1d_fwd_kernel",
          "volta_scudnn_128x64_stridedB_splitK_xregs_large_nn_v1",
          "void fft2d_r2c_32x32<float>"}},
        {KernelClass::elementwise,
         {"create_flashinfer_kv_indices_triton",
          "create_flashmla_kv_indices_triton",
          "void split_embedding_codegen_forward_unweighted_kernel<float, float, float, long, 32ul>(fbgemm_gpu::PackedTensorAccessor64<>)",
          "void fbgemm_gpu::linearize_cache_indices_kernel<long>",
          "set_mla_kv_buffer_kernel",
          "concat_mla_k_kernel",
          "void flashinfer::RopeQuantizeKernel<>",
          "void flashinfer::BatchQKApplyRotaryPosIdsCosSinCacheKernel<>",
          "void deep_gemm::transpose_and_pack_fp32_into_ue8m0<>",
          "void moe::dev::routing::routingRenormalize::routingIndicesClusterKernel<>",
          "expandInputRowsKernel",
          "finalizeMoeRoutingKernel",
          "void tensorrt_llm::kernels::doActivationKernel<>",
          "blockExpertPrefixSumKernel",
          "fusedBuildExpertMapsSortFirstTokenKernel",
          "triton_for_fused_0",
          "triton_spl_fused_cumsum_1",
          "void at::native::tensor_kernel_scan_innermost_dim<>",
          "generatedNativePointwise",
          "loop_add_fusion",
          "input_reduce_fusion_1.kd",
          "loop_reduce_fusion_3.kd",
          "__amd_rocclr_copyBuffer",
          "__amd_rocclr_fillBufferAligned",
          "_combined_routing_compute",
          "per_token_cast_to_fp8_with_channels",
          "_per_token_group_quant_8bit",
          "void vllm::act_and_mul_kernel<>",
          "void vllm::moe::moe_align_block_size_kernel<int>",
          "void vllm::moe::topkGatingSoftmax<>",
          "element_mul_kernel",
          "liger_cross_entropy_kernel",
          "void at::native::index_elementwise_kernel<128, 4>",
          "_swiglu_fwd_kernel",
          "void transformer_engine::(anonymous namespace)::cast_mxfp8_2D_kernel<>",
          "void transformer_engine::detail::cast_transpose_general_kernel",
          "void at::native::(anonymous namespace)::CatArrayBatchedCopy_contig<>",
          "void at::native::sbtopk::gatherTopK<>",
          "write_req_to_token_pool_triton",
          "void at_cuda_detail::cub::DeviceScanKernel<>",
          "fused_dropout_kernel_vec",
          "void cunn_SoftMaxForward<4>",
          "arange",
          "void at::native::nonzero_cuda",
          "wrapped_transpose"}},
        {KernelClass::optimizer,
         {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<FusedOptimizerTensorListMetadata<4>, FusedAdamMathFunctor<float, 4>>",
          "void multi_tensor_apply_kernel<TensorListMetadata<4>, LAMBStage1Functor<>>",
          "void multi_tensor_apply_kernel<.., transformer_engine::multi_tensor_adam::AdamFunctorMaster>"}},
    };
}

TEST(KernelNames, BelongToTheirClass)
{
    const auto rules = KernelRules::load(RIDGEPOINT_SOURCE_DIR "/specs/trace/kernel_classes.json");
    ASSERT_TRUE(rules) << rules.error().message;
    for (const Named& n : named_kernels())
        for (const std::string_view name : n.names)
            EXPECT_EQ(name_of(rules->kernel_class(name)), name_of(n.expected)) << name;
}

TEST(KernelNames, OfTensileTellThePrecision)
{
    const auto rules = KernelRules::load(RIDGEPOINT_SOURCE_DIR "/specs/trace/kernel_classes.json");
    ASSERT_TRUE(rules) << rules.error().message;
    EXPECT_EQ(rules->precision("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT448x32x64_MI16x16x1"), KernelPrecision::bf16);
    EXPECT_EQ(rules->precision("Cijk_Alik_Bljk_B_BS_BH_MT256x256x64_MI16x16x1"), KernelPrecision::bf16);
    EXPECT_EQ(rules->precision("Cijk_Alik_Bljk_F8BS_BH_Bias_HA_S_SAV_MT256x256x128"), KernelPrecision::fp8);
    EXPECT_EQ(rules->precision("Cijk_Alik_Bljk_HHS_BH_MT128x128x64_MI32x32x8x1_SN_1LDSB0"), KernelPrecision::fp16);
    EXPECT_EQ(rules->precision("Cijk_Ailk_Bljk_SB_MT64x128x16_MI32x32x1x2"), KernelPrecision::fp32);
    EXPECT_EQ(rules->precision("Cijk_Ailk_Bjlk_DB_MT64x32x8_SE"), KernelPrecision::fp64);
}

} // namespace
