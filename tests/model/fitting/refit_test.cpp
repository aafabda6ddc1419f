// Constants come back from rows that the laws themselves made, and files change in their numbers only.

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/calibration/validate.h"
#include "model/fitting/refit.h"
#include "model/hardware/read.h"
#include "model/kernels/kernels.h"
#include "model/kernels/read.h"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string source = std::string(RIDGEPOINT_SOURCE_DIR) + "/specs";

SpecStore specs()
{
    Expected<SpecStore> store = SpecStore::load({{source, "built-in"}});
    EXPECT_TRUE(store) << store.error().text();
    return *store;
}

std::string contents(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

class RefitTest : public testing::Test {
protected:
    RefitTest()
    {
        std::string pattern = (fs::temp_directory_path() / "ridgepoint fit XXXXXX").string();
        m_folder = mkdtemp(pattern.data());
    }
    ~RefitTest() override { fs::remove_all(m_folder); }
    void write(const std::string& name, const std::string& text) { std::ofstream(m_folder / name) << text; }

    // BF16 products of an H100 as the law with these constants has them, in microseconds, times `distort` of the row.
    void write_products(const GemmConstants& c, const std::function<double(int)>& distort = {})
    {
        const Accelerator gpu = *read_accelerator(specs(), "h100-sxm");
        KernelConstants k = *read_kernel_constants(specs(), "h100");
        k.gemm[0] = c;
        std::string text = "system,source_tool,gemm_dtype,m,n,k,latency_us\n";
        int row = 0;
        for (double m = 1; m <= 16384; m *= 4)
            for (const double n : {512.0, 2048.0, 6144.0, 16384.0})
                for (const double depth : {512.0, 2048.0, 8192.0, 28672.0}) {
                    GemmShape s;
                    s.m = m;
                    s.n = n;
                    s.k = depth;
                    const double t = in_microseconds(gemm_time(s, gpu, k).total()) * (distort ? distort(row++) : 1.0);
                    text += fmt::format("h100_sxm,trtllm 1.0,bfloat16,{},{},{},{:.9g}\n", m, n, depth, t);
                }
        write("gemm.csv", text);
    }
    Expected<Refit> refit_h100() { return refit({m_folder.string(), {"h100"}}, specs()); }

    static GemmConstants known()
    {
        GemmConstants c;
        c.peak_fraction = 0.62;
        c.bandwidth_fraction = 0.71;
        c.launch = microseconds(4.1);
        c.pipeline = microseconds(2.3);
        c.k_prologue = 350;
        c.wave = 0.42;
        c.minimum_rows = 24;
        return c;
    }
    static double fitted(const Refit& r, const std::string& name)
    {
        for (const FittedConstant& c : r.fitted.laws.at(0).constants)
            if (c.name == name)
                return c.after;
        return -1.0;
    }

    fs::path m_folder;
};

TEST_F(RefitTest, ConstantsOfTheLawComeBackFromItsOwnRows)
{
    write_products(known());
    const Expected<Refit> r = refit_h100();
    ASSERT_TRUE(r) << r.error().text();
    ASSERT_EQ(r->fitted.laws.size(), 1U);
    EXPECT_EQ(r->fitted.laws[0].pointer, "/software/tensorrt-llm/gemm/bf16");
    EXPECT_NEAR(fitted(*r, "peak_fraction"), 0.62, 0.005);
    EXPECT_NEAR(fitted(*r, "bandwidth_fraction"), 0.71, 0.005);
    EXPECT_NEAR(fitted(*r, "launch") * 1e6, 4.1, 0.05);
    EXPECT_NEAR(fitted(*r, "pipeline") * 1e6, 2.3, 0.1);
    EXPECT_NEAR(fitted(*r, "k_prologue"), 350, 10);
    EXPECT_NEAR(fitted(*r, "wave"), 0.42, 0.05);
    EXPECT_LT(r->fitted.laws[0].refit.median, 0.002);
    EXPECT_LT(r->fitted.laws[0].left_out.median, 0.005);
    EXPECT_GT(r->fitted.laws[0].shipped.median, 0.03);
}

TEST_F(RefitTest, AFewWildRowsDoNotMoveThem)
{
    write_products(known(), [](int row) { return row % 9 == 4 ? 4.0 : 1.0; });
    const Expected<Refit> r = refit_h100();
    ASSERT_TRUE(r) << r.error().text();
    EXPECT_NEAR(fitted(*r, "peak_fraction"), 0.62, 0.02);
    EXPECT_NEAR(fitted(*r, "bandwidth_fraction"), 0.71, 0.03);
}

TEST_F(RefitTest, FilesChangeInTheirNumbersOnly)
{
    write_products(known());
    const Expected<Refit> r = refit_h100();
    ASSERT_TRUE(r) << r.error().text();
    ASSERT_EQ(r->documents.size(), 1U);
    const std::string before = contents(source + "/efficiency/h100.json");
    const std::string& after = r->documents.at("h100");
    EXPECT_NE(before, after);
    EXPECT_EQ(std::count(before.begin(), before.end(), '\n'), std::count(after.begin(), after.end(), '\n'));
    SpecStore changed = specs();
    const Status added = changed.add(SpecKind::efficiency, after, "h100.json", "user");
    ASSERT_TRUE(added) << added.error().text();
    EXPECT_NEAR(read_kernel_constants(changed, "h100")->gemm[0].peak_fraction, 0.62, 0.005);
    EXPECT_EQ(read_kernel_constants(changed, "h100", "vllm")->gemm[0].peak_fraction, read_kernel_constants(specs(), "h100", "vllm")->gemm[0].peak_fraction);
}

TEST_F(RefitTest, TheShippedFilesAreWrittenAsTheyAre)
{
    const Expected<EfficiencyDocuments> documents = EfficiencyDocuments::load(specs());
    ASSERT_TRUE(documents) << documents.error().text();
    for (const std::string& id : documents->ids())
        EXPECT_EQ(documents->text(id), contents(source + "/efficiency/" + id + ".json")) << id;
    EXPECT_THAT(documents->changes(), IsEmpty());
}

TEST_F(RefitTest, WrongInputIsOneClearMessage)
{
    const auto message = [&](const RefitRequest& request) {
        const Expected<Refit> r = refit(request, specs());
        return r ? std::string{} : r.error().text();
    };
    EXPECT_THAT(message({(m_folder / "none").string(), {}}), HasSubstr("no such folder"));
    EXPECT_THAT(message({m_folder.string(), {}}), HasSubstr("CSV files with the columns of one of: gemm"));
    EXPECT_THAT(message({m_folder.string(), {"h1000"}}), HasSubstr("\"h1000\", expected one of: a100"));
    write("x.csv", "a,b\n1\n");
    EXPECT_THAT(message({m_folder.string(), {}}), HasSubstr("x.csv:2"));
}

TEST_F(RefitTest, RowsThatTeachNothingAreCountedUnderTheirReason)
{
    write("gemm.csv", "system,source_tool,gemm_dtype,m,n,k,latency_us\nx900,trtllm 1.0,bfloat16,1,1,1,1\nh100_sxm,trtllm 1.0,int3,1,1,1,1\nh100_sxm,trtllm 1.0,"
                      "bfloat16,1,1,1,\n");
    const Expected<Refit> r = refit_h100();
    ASSERT_TRUE(r) << r.error().text();
    EXPECT_EQ(r->fitted.not_expressed.at("gemm.csv: the GPU is not in the catalogue"), 1);
    EXPECT_EQ(r->fitted.not_expressed.at("gemm.csv: the number format is not modelled"), 1);
    EXPECT_EQ(r->fitted.not_expressed.at("gemm.csv: no latency"), 1);
    EXPECT_THAT(r->changes, IsEmpty());
}

class Published : public testing::Test {
protected:
    void SetUp() override
    {
        if (!fs::exists(m_folder))
            GTEST_SKIP() << "no measurements at " << m_folder;
    }
    std::string m_folder = std::string(RIDGEPOINT_SHARED_DIR) + "/reference/measurements";
};

// The targets of the laws on rows that no fit saw; the figures are in docs/accuracy.md.
TEST_F(Published, RowsLeftOutArePredicted)
{
    const Expected<Refit> r = refit({m_folder, {}}, specs());
    ASSERT_TRUE(r) << r.error().text();
    for (const FittedLaw& law : r->fitted.laws) {
        const std::string name = law.document + law.pointer;
        if (name.find("/software/") != std::string::npos) {
            EXPECT_LT(law.left_out.median, 0.12) << name;
            EXPECT_LT(law.left_out.p90, 0.3) << name;
        } else if (name.find("/domain") != std::string::npos) {
            EXPECT_LT(law.left_out.median, 0.15) << name;
        }
        // A refit of shipped constants to the rows that they came from moves little.
        EXPECT_LT(law.shipped.median, law.refit.median + 0.01) << name;
    }
}

TEST_F(Published, NoCollectiveAboveOneMebibyteIsOffByMoreThanThree)
{
    for (const char* file : {"/collectives.csv", "/collectives_node.csv"}) {
        const Expected<FileValidation> v = validate_file(m_folder + file, specs());
        ASSERT_TRUE(v) << v.error().text();
        for (std::size_t i = 0; i < v->rows.size(); ++i)
            for (const Prediction& p : v->rows[i].predictions)
                if (CsvRow(v->table, i).number("size_bytes") > 1048576.0) {
                    EXPECT_LT(std::max(p.predicted / p.measured, p.measured / p.predicted), 3.0) << file << ":" << v->rows[i].line;
                }
    }
}

} // namespace
} // namespace ridgepoint
