#include "model/measured/tables/mapping_fields.h"

namespace ridgepoint {
namespace {

using enum MappingTarget;

const std::vector<MappingUnit> seconds_first{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}, {"h", 3600}};
const std::vector<MappingUnit> milliseconds_first{{"ms", 1e-3}, {"s", 1}, {"us", 1e-6}, {"ns", 1e-9}};
const std::vector<MappingUnit> microseconds_first{{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"ns", 1e-9}};
const std::vector<MappingUnit> sizes{{"B", 1}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}};
const std::vector<MappingUnit> memory_sizes{{"GiB", 0x1p30}, {"GB", 1e9}, {"MiB", 0x1p20}, {"MB", 1e6}, {"B", 1}};
const std::vector<MappingUnit> bandwidths{{"GB/s", 1e9}, {"GiB/s", 0x1p30}, {"MB/s", 1e6}, {"MiB/s", 0x1p20}, {"B/s", 1}, {"Gbit/s", 125e6}, {"TB/s", 1e12}};
const std::vector<MappingUnit> flops{{"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}, {"GFLOP/s", 1e9}, {"FLOP/s", 1}};
const std::vector<MappingUnit> shares{{"ratio", 1}, {"%", 0.01}};

} // namespace

const std::vector<MappingField>& mapping_fields()
{
    static const std::vector<MappingField> all{
        {training_log, "step", {}, {"step", "globalstep", "iteration", "iter", "trainstep", "batch", "batchidx", "stepnumber"}},
        {training_log, "step time", seconds_first, {"steptime", "itertime", "iterationtime", "timeperstep", "timeperiteration", "batchtime", "elapsedtimeperiteration", "secondsperstep", "trainsteptime", "stepduration", "trainsteptiming", "sit", "sstep"}, true},
        {training_log, "tokens/s/GPU", {}, {"tokenssgpu", "tokensperseconpergpu", "tokenspersecondpergpu", "tokenspersecpergpu", "tokenssecgpu", "tps", "wps", "tgs", "tokensgpus", "throughputdevicetokenspersec", "tokpersgpu", "tokspergpu", "tokenspergpupersecond"}, true},
        {training_log, "tokens/s", {}, {"tokenss", "tokenspersecond", "tokenspersec", "tokenssec", "toks", "throughputtokens", "toksec", "totaltps"}, true},
        {training_log, "samples/s", {}, {"sampless", "samplespersecond", "samplespersec", "samplessec", "sequencespersecond", "sequencess", "imagess", "trainsamplespersecond"}, true},
        {training_log, "FLOP/s/GPU", flops, {"tflops", "tflopsgpu", "flops", "tflopspergpu", "throughputpergpu", "tflopss", "achievedtflops", "modeltflops"}, true},
        {training_log, "MFU", shares, {"mfu", "modelflopsutilization", "modelfloputilization"}, true},
        {training_log, "loss", {}, {"loss", "trainloss", "lmloss", "traininglos"}},
        {training_log, "memory", memory_sizes, {"memory", "maxmemory", "peakmemory", "gpumemory", "memoryallocated", "peakmem", "maxmem"}},
        {training_log, "rank", {}, {"rank", "gpurank", "globalrank"}},

        {serving_benchmark, "request rate", {}, {"requestrate", "qps", "rate", "targetqps", "rps", "offeredrate"}},
        {serving_benchmark, "concurrency", {}, {"concurrency", "maxconcurrency", "conc", "concurrent", "numusers", "users", "concurrentrequests"}},
        {serving_benchmark, "completed", {}, {"completed", "completedrequests", "numrequests", "successfulrequests", "requestcount", "requests"}},
        {serving_benchmark, "duration", seconds_first, {"duration", "elapsedtime", "totaltime", "benchmarkduration", "walltime"}},
        {serving_benchmark, "input tokens", {}, {"totalinputtokens", "inputtokens", "totalinput", "prompttokens"}},
        {serving_benchmark, "output tokens", {}, {"totaloutputtokens", "outputtokens", "totaloutput", "completiontokens", "generatedtokens"}},
        {serving_benchmark, "requests/s", {}, {"requestthroughput", "requestss", "reqs", "requestspersecond", "achievedqps", "reqpersec", "requestsec", "requestspersec"}, true},
        {serving_benchmark, "output tokens/s", {}, {"outputthroughput", "outputtokenss", "outputtokenspersecond", "outputtokenssec", "tokensout", "outputtoks", "outputtokenspersec", "outputtokenthroughput", "tokenthroughput"}, true},
        {serving_benchmark, "total tokens/s", {}, {"totaltokenthroughput", "totalthroughput", "totaltokenspersecond", "totaltokenss", "totaltoks"}, true},
        {serving_benchmark, "TTFT mean", milliseconds_first, {"ttft", "meanttft", "avgttft", "ttftmean", "ttftavg", "timetofirsttoken", "averagettft", "meantimetofirsttoken"}, true},
        {serving_benchmark, "TTFT median", milliseconds_first, {"medianttft", "ttftp50", "p50ttft", "ttftmedian"}, true},
        {serving_benchmark, "TTFT p99", milliseconds_first, {"p99ttft", "ttftp99"}, true},
        {serving_benchmark, "TPOT mean", milliseconds_first, {"tpot", "meantpot", "avgtpot", "tpotmean", "timeperoutputtoken", "tpotavg"}, true},
        {serving_benchmark, "TPOT median", milliseconds_first, {"mediantpot", "tpotp50", "p50tpot", "tpotmedian"}, true},
        {serving_benchmark, "TPOT p99", milliseconds_first, {"p99tpot", "tpotp99"}, true},
        {serving_benchmark, "ITL mean", milliseconds_first, {"itl", "meanitl", "avgitl", "itlmean", "intertokenlatency", "itlavg"}, true},
        {serving_benchmark, "ITL median", milliseconds_first, {"medianitl", "itlp50", "p50itl", "itlmedian"}, true},
        {serving_benchmark, "ITL p99", milliseconds_first, {"p99itl", "itlp99"}, true},
        {serving_benchmark, "latency mean", milliseconds_first, {"e2el", "meane2el", "meane2elatency", "e2elatency", "latency", "meanlatency", "avglatency", "requestlatency", "endtoendlatency"}, true},
        {serving_benchmark, "latency median", milliseconds_first, {"mediane2el", "mediane2elatency", "p50latency", "latencyp50", "medianlatency"}, true},
        {serving_benchmark, "latency p99", milliseconds_first, {"p99e2el", "p99latency", "latencyp99", "p99e2elatency"}, true},
        {serving_benchmark, "GPUs", {}, {"gpus", "numgpus", "gpucount", "ngpus", "worldsize"}},
        {serving_benchmark, "TP", {}, {"tp", "tpsize", "tensorparallel", "tensorparallelsize"}},
        {serving_benchmark, "model", {}, {"model", "modelid", "modelname"}, false, MappingKind::text},
        {serving_benchmark, "backend", {}, {"backend", "framework", "engine", "servingengine"}, false, MappingKind::text},

        {collective_benchmark, "size", sizes, {"size", "bytes", "messagesize", "msgsize", "datasize", "sizebytes", "buffersize", "nbytes"}, true},
        {collective_benchmark, "time", microseconds_first, {"time", "latency", "avgtime", "timeavg", "duration", "avglatency"}, true},
        {collective_benchmark, "algorithm bandwidth", bandwidths, {"algbw", "algorithmbandwidth", "algbandwidth", "algobw", "bandwidth", "bw"}, true},
        {collective_benchmark, "bus bandwidth", bandwidths, {"busbw", "busbandwidth", "busbandwith"}, true},
        {collective_benchmark, "collective", {}, {"collective", "op", "operation", "test", "collectivename", "coll"}, false, MappingKind::text},
        {collective_benchmark, "ranks", {}, {"ranks", "nranks", "worldsize", "gpus", "numgpus", "ngpus"}},
        {collective_benchmark, "dtype", {}, {"type", "dtype", "datatype"}, false, MappingKind::text},
        {collective_benchmark, "reduction", {}, {"redop", "reduction", "reduceop"}, false, MappingKind::text},

        {metrics, "time", {}, {"time", "timestamp", "date", "datetime", "ts"}, true, MappingKind::instant},
        {metrics, "value", {}, {}}, // any number of columns: each a series of its name
        {metrics, "label", {}, {"gpu", "host", "hostname", "node", "instance", "uuid", "device"}, false, MappingKind::text},
    };
    return all;
}

bool may_repeat(const MappingField& field) { return field.target == metrics && field.kind != MappingKind::instant; }

const MappingField* mapping_field(MappingTarget target, std::string_view name)
{
    for (const MappingField& f : mapping_fields())
        if (f.target == target && f.name == name)
            return &f;
    return nullptr;
}

} // namespace ridgepoint
