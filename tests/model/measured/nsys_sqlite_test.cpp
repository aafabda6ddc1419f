// Nsight Systems exports of several schemas, made here, and what is wrong with others.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include "model/measured/measured.h"
#include "tests/support/mutations.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;

// The bytes of a data base that these statements make.
std::string database(const std::string& statements)
{
    sqlite3* db = nullptr;
    sqlite3_open(":memory:", &db);
    char* trouble = nullptr;
    EXPECT_EQ(sqlite3_exec(db, statements.c_str(), nullptr, nullptr, &trouble), SQLITE_OK) << (trouble ? trouble : "");
    sqlite3_int64 size = 0;
    unsigned char* bytes = sqlite3_serialize(db, "main", &size, 0);
    std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    sqlite3_free(bytes);
    sqlite3_close(db);
    return out;
}

const std::string strings = "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
                            "INSERT INTO StringIds VALUES (1,'sm90_xmma_gemm_bf16'),(2,'cudaLaunchKernel_v7000'),(3,'cudaGraphLaunch_v10000'),(4,'layer_norm_kernel'),(5,'step 7');";
const std::string kernels = "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,"
                            " globalPid INTEGER, demangledName INTEGER, shortName INTEGER);";
const std::string meta = "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
                         "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION','3.21.0'),('EXPORT_PRODUCT_VERSION','2025.3.1.90');";
const std::string gpus = "CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, cuDevice INTEGER); INSERT INTO TARGET_INFO_GPU VALUES (0,'A',0),(1,'NVIDIA B200',1);";

Expected<std::vector<Measured>> read(const std::string& bytes) { return read_measured_text(bytes, "report.sqlite"); }
const Timeline& timeline(const Expected<std::vector<Measured>>& m) { return std::get<Timeline>(m->front().content); }

TEST(NsysSqlite, KernelsCopiesLaunchesAndSteps)
{
    // Two processes whose correlation numbers are the same: pid 1 and 2, in bits 24 and up of the global ids.
    const auto m = read(database(strings + kernels + meta + gpus
        + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000,3000,1,1,7,55,1<<24,1,1),(5000,6000,1,1,7,55,2<<24,4,4);"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER,end INTEGER,deviceId INTEGER,streamId INTEGER,correlationId INTEGER,globalPid INTEGER,bytes INTEGER,copyKind INTEGER);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (3500,3600,1,8,56,1<<24,4096,1);"
          "CREATE TABLE ENUM_CUDA_MEMCPY_OPER(id INTEGER PRIMARY KEY,name TEXT,label TEXT); INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1,'x','Host-to-Device');"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER,end INTEGER,deviceId INTEGER,streamId INTEGER,bytes INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (3700,3710,1,8,64);"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER,end INTEGER,globalTid INTEGER,correlationId INTEGER,nameId INTEGER);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (900,950,(1<<24)+11,55,2),(4000,4100,(2<<24)+12,55,3);"
          "CREATE TABLE NVTX_EVENTS(start INTEGER,end INTEGER,eventType INTEGER,text TEXT,textId INTEGER,globalTid INTEGER);"
          "INSERT INTO NVTX_EVENTS VALUES (0,4000,59,NULL,5,1),(4000,8000,59,'step 8',NULL,1),(10,20,59,'forward',NULL,1),(1,NULL,34,'mark',NULL,1);"
          "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER); INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);"));
    ASSERT_TRUE(m) << m.error().text();
    const Timeline& t = timeline(m);
    ASSERT_EQ(t.size(), 4U);
    EXPECT_EQ(t.start_ns, (std::vector<std::int64_t>{0, 2500, 2700, 4000}));
    EXPECT_EQ(t.duration_ns, (std::vector<std::int64_t>{2000, 100, 10, 1000}));
    EXPECT_EQ(t.kernel_class[0], KernelClass::gemm);
    EXPECT_EQ(t.kernel_class[1], KernelClass::memcpy);
    EXPECT_EQ(t.kernel_class[2], KernelClass::memset);
    EXPECT_EQ(t.kernel_class[3], KernelClass::norm);
    EXPECT_EQ(t.names[t.name[1]], "Memcpy Host-to-Device");
    EXPECT_EQ(t.launch_ns[0], -100);
    EXPECT_EQ(t.launch_ns[3], 3000);
    EXPECT_EQ(t.device_name, "NVIDIA B200");
    EXPECT_EQ(t.base_ns, 1700000000000000000);
    ASSERT_EQ(t.steps.size(), 2U);
    EXPECT_EQ(t.steps[0].name, "step 7");
    EXPECT_EQ(t.steps[1].duration_ns, 4000);
    const nlohmann::json f = facts_of(m->front());
    EXPECT_EQ(f["schema"], "3.21.0");
    EXPECT_EQ(f["n_kernels"], 2);
    EXPECT_EQ(f["sum_ns"], 3000);
    EXPECT_EQ(f["span_ns"], 5000);
    EXPECT_EQ(f["n_memcpy"], 1);
    EXPECT_EQ(f["memcpy_bytes"], 4096);
    EXPECT_EQ(f["memset_bytes"], 64);
    EXPECT_EQ(f["gpus"], nlohmann::json::array({"A", "NVIDIA B200"}));
}

TEST(NsysSqlite, OldMetaTableAndNamesInTheRow)
{
    const auto m = read(database("CREATE TABLE EXPORT_META_DATA(name TEXT, value TEXT); INSERT INTO EXPORT_META_DATA VALUES ('EXPORT_SCHEMA_VERSION','2.7.1');"
                                 "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, demangledName TEXT); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10,30,'ampere_sgemm');"));
    ASSERT_TRUE(m) << m.error().text();
    EXPECT_EQ(timeline(m).names[0], "ampere_sgemm");
    EXPECT_EQ(facts_of(m->front())["meta_table"], "EXPORT_META_DATA");
    EXPECT_EQ(facts_of(m->front())["schema"], "2.7.1");
}

TEST(NsysSqlite, GraphsWithoutTheirKernelsAreSaid)
{
    const auto m = read(database(strings + "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER,end INTEGER,deviceId INTEGER,streamId INTEGER,correlationId INTEGER,globalPid INTEGER,graphId INTEGER);"
                                           "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (0,500,0,7,1,0,3),(600,900,0,7,2,0,3);"));
    ASSERT_TRUE(m) << m.error().text();
    EXPECT_EQ(timeline(m).size(), 2U);
    ASSERT_FALSE(m->front().notes.empty());
    EXPECT_THAT(m->front().notes[0], HasSubstr("--cuda-graph-trace=node"));
    EXPECT_EQ(facts_of(m->front())["n_graph_launches"], 2);
}

TEST(NsysSqlite, NoKernelTableIsSaid)
{
    const auto m = read(database(strings + meta + gpus));
    ASSERT_TRUE(m) << m.error().text();
    EXPECT_EQ(timeline(m).size(), 0U);
    ASSERT_FALSE(m->front().notes.empty());
    EXPECT_THAT(m->front().notes[0], HasSubstr("No GPU kernel was recorded"));
    EXPECT_EQ(facts_of(m->front())["has_kernel_table"], false);
}

TEST(NsysSqlite, AbsurdRowsAreLeftOutAndCounted)
{
    const auto m = read(database(strings + kernels
        + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000,2000,0,1,7,1,0,1,1),(3000,2000,0,1,7,2,0,1,1),(NULL,5,0,1,7,3,0,1,1),(1,9223372036854775807,0,1,7,4,0,1,1),"
          "(-9223372036854775807,9223372036854775807,0,1,7,5,0,1,1),('x','y',0,1,7,6,0,1,1),(5000,5001,0,1,7,7,0,99,NULL);"));
    ASSERT_TRUE(m) << m.error().text();
    const Timeline& t = timeline(m);
    ASSERT_EQ(t.size(), 2U);
    EXPECT_EQ(t.names[t.name[1]], "(kernel without a name)");
    std::int64_t skipped = 0;
    for (const auto& s : m->front().skipped)
        skipped += s.count;
    EXPECT_EQ(skipped, 5);
    EXPECT_EQ(facts_of(m->front())["n_kernels"], 2);
}

TEST(NsysSqlite, OtherDataBasesAreNamed)
{
    const auto other = read(database("CREATE TABLE people(name TEXT);"));
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().text(), HasSubstr("no Nsight Systems export"));
    const auto rocpd = read(database("CREATE TABLE rocpd_kernel_dispatch_x(id INTEGER);"));
    ASSERT_FALSE(rocpd);
    EXPECT_THAT(rocpd.error().text(), HasSubstr("rocpd convert"));
}

TEST(NsysSqlite, ViewsAndHostileSchemasAreNotRun)
{
    // A view in place of the table, which would count for ever.
    const auto m = read(database(strings + "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start+1 FROM n) SELECT start, start AS end FROM n;"));
    ASSERT_TRUE(m) << m.error().text();
    EXPECT_EQ(timeline(m).size(), 0U);
}

TEST(NsysSqlite, DamagedFilesEndWithAMessage)
{
    std::string rows = strings + kernels + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000,2000,0,1,7,1,0,1,1)";
    for (int i = 0; i < 2000; ++i)
        rows += ",(" + std::to_string(3000 + 10 * i) + "," + std::to_string(3005 + 10 * i) + ",0,1,7,1,0,1,1)";
    const std::string whole = database(rows + ";");
    ASSERT_TRUE(read(whole));
    for (const std::size_t length : {std::size_t{16}, std::size_t{100}, std::size_t{4096}, std::size_t{12000}, whole.size() - 5000}) {
        const auto cut = read(whole.substr(0, length));
        if (!cut)
            EXPECT_FALSE(cut.error().message.empty());
        else
            EXPECT_TRUE(timeline(cut).truncated || timeline(cut).size() < 2001U) << length;
    }
    std::string scratched = whole;
    for (std::size_t i = 5000; i < scratched.size(); i += 97)
        scratched[i] = static_cast<char>(scratched[i] ^ 0x5a);
    const auto m = read(scratched);
    if (!m) {
        EXPECT_FALSE(m.error().message.empty());
    }
}

TEST(NsysSqlite, FromDiskWithoutTouchingIt)
{
    const auto file = std::filesystem::temp_directory_path() / "nsys test #1?.sqlite";
    const std::string bytes = database(strings + kernels + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000,2000,0,1,7,1,0,1,1);");
    std::ofstream(file, std::ios::binary) << bytes;
    const auto m = read_measured(file.string());
    ASSERT_TRUE(m) << m.error().text();
    EXPECT_EQ(timeline(m).size(), 1U);
    EXPECT_FALSE(std::filesystem::exists(file.string() + "-wal"));
    EXPECT_FALSE(std::filesystem::exists(file.string() + "-journal"));
    std::ifstream again(file, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(again), {}), bytes);
    std::filesystem::remove(file);
}

TEST(NsysSqlite, Mutations)
{
    const std::string sound = database(strings + kernels + meta + gpus + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000,3000,1,1,7,55,1<<24,1,1),(5000,6000,1,1,7,55,2<<24,4,4);");
    test::with_mutations(sound, 500, 1, [](const std::string& bytes) {
        const auto m = read("SQLite format 3" + std::string(1, '\0') + bytes.substr(std::min<std::size_t>(16, bytes.size())));
        if (!m) {
            EXPECT_FALSE(m.error().message.empty());
        }
    });
}

} // namespace
} // namespace ridgepoint
