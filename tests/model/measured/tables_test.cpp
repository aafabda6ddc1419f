// Tables of no known tool, and what a column mapping makes of them.

#include "model/measured/tables/column_mapping.h"
#include "model/measured/tables/csv.h"
#include "model/measured/tables/mapping_check.h"
#include "tests/model/measured/shared_facts.h"

namespace ridgepoint {
namespace {

MeasuredTable table_of(std::string_view text)
{
    std::vector<Skipped> skipped;
    const auto table = csv_table(text, skipped);
    EXPECT_TRUE(table) << text;
    return table.value_or(MeasuredTable{});
}

TEST(Csv, QuotesSeparatorsCommentsAndRowsOfAnotherWidth)
{
    std::vector<Skipped> skipped;
    const auto t = csv_table("# made by hand\na;b;\"c;d\"\n1;2;\"x\"\"y\nz\"\n1;2\n 4 ; 5 ;6\r\n", skipped);
    ASSERT_TRUE(t);
    EXPECT_EQ(t->columns, (std::vector<std::string>{"a", "b", "c;d"}));
    ASSERT_EQ(t->rows.size(), 2U);
    EXPECT_EQ(t->rows[0][2], "x\"y\nz");
    EXPECT_EQ(t->rows[1][0], "4");
    ASSERT_EQ(skipped.size(), 1U);
    EXPECT_EQ(skipped[0].count, 1);
    for (const char* none : {"", "one column\n1\n", "1,2,3\n4,5,6\n", "a,b\n", "some text, with a comma\nand a line without\nand another\n"})
        EXPECT_FALSE(looks_like_csv(none)) << none;
}

TEST(Csv, Latin1IsReadAsWhatItSays)
{
    std::vector<Skipped> skipped;
    const auto t = csv_table("L\xE4nge;Zeit\n1;2\n3;sch\xF6n\n", skipped);
    ASSERT_TRUE(t);
    EXPECT_EQ(t->columns[0], "L\xC3\xA4nge");
    EXPECT_EQ(t->rows[1][1], "sch\xC3\xB6n");
    ASSERT_EQ(skipped.size(), 1U);
    EXPECT_EQ(skipped[0].count, 2);
    EXPECT_EQ(skipped[0].first_place, "line 1");
    const ColumnMapping mapping{MappingTarget::training_log, {{t->columns[0], "step time", "s"}}};
    const auto back = read_mapping(write_mapping(mapping), "map.json");
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_TRUE(has_columns(*t, *back)) << "a mapping that was saved fits again";
}

TEST(Csv, CellsAsNumbers)
{
    const std::pair<const char*, double> cells[] = {{"1.5", 1.5}, {"-3", -3}, {"6,785", 6785}, {"1,234,567.5", 1234567.5}, {"0,279", 0.279}, {"1.234,5", 1234.5}, {"12,5", 12.5}, {"1e3", 1000}, {"28.1%", 0.281}, {"1.57 kW", 1570}, {"4.99 GB/s", 4.99e9},
        {"3 KiB", 3072}, {"100 Gb/s", 12.5e9}, {"250 \xC2\xB5s", 250e-6}, {"12 req/s", 12}, {"1980 MHz", 1.98e9}};
    for (const auto& [text, value] : cells)
        EXPECT_NEAR(cell_number(text).value_or(CellNumber{-1e99, {}}).value, value, 1e-9 * std::abs(value)) << text;
    for (const char* text : {"", "undefined", "N/A", "nan", "-", "2024-01-01", "10:30", "abc", "3 GPUs each", "1.2.3.4", "1e999"})
        EXPECT_FALSE(cell_number(text)) << text;
}

TEST(Tables, AreTheLastResortAndOfferAMapping)
{
    const auto found = read_measured_text("Iter No,Iteration Time (ms),colour\n1,250,red\n2,260,blue\n", "x.csv");
    ASSERT_TRUE(found) << found.error().text();
    ASSERT_EQ(found->size(), 1U);
    EXPECT_TRUE(std::holds_alternative<MeasuredTable>(found->front().content));
    EXPECT_EQ(found->front().facts["n_rows"], 2);
}

TEST(Mapping, TrainingIsGuessedSavedAndApplied)
{
    const MeasuredTable t = table_of("Iter,Batch Time (ms),tokens/s/GPU,note\n1,250,8000,a\n2,500,4000,b\n3,,,c\n");
    const auto guesses = guess_mappings(t);
    ASSERT_FALSE(guesses.empty());
    EXPECT_EQ(guesses[0].target, MappingTarget::training_log);
    const std::string text = write_mapping(guesses[0]);
    const auto back = read_mapping(text, "map.json");
    ASSERT_TRUE(back) << back.error().text();
    ASSERT_EQ(back->columns.size(), guesses[0].columns.size());
    const auto m = apply_mapping(t, *back, "t.csv");
    ASSERT_TRUE(m) << m.error().text();
    const auto& log = std::get<TrainingLog>(m->content);
    ASSERT_EQ(log.steps.size(), 2U);
    EXPECT_DOUBLE_EQ(log.steps[0].time->value(), 0.25);
    EXPECT_DOUBLE_EQ(log.steps[1].tokens_per_second_per_gpu->value(), 4000);
    ASSERT_EQ(m->skipped.size(), 1U); // the row of blanks
}

TEST(Mapping, ServingAndCollectives)
{
    const MeasuredTable serving = table_of("model,concurrency,mean_ttft_ms,P99 TTFT (s),output_throughput\nllama,8,120,0.5,1000\n");
    const auto s = guess_mappings(serving);
    ASSERT_FALSE(s.empty());
    ASSERT_EQ(s[0].target, MappingTarget::serving_benchmark);
    const auto a = apply_mapping(serving, s[0], "s.csv");
    ASSERT_TRUE(a) << a.error().text();
    const ServingRun& run = std::get<ServingBenchmark>(a->content).runs.at(0);
    EXPECT_DOUBLE_EQ(run.ttft.mean->value(), 0.12);
    EXPECT_DOUBLE_EQ(run.ttft.percentiles.at(99).value(), 0.5);
    EXPECT_EQ(run.max_concurrency, 8);
    EXPECT_EQ(run.model, "llama");

    const MeasuredTable sweep = table_of("collective,size (MiB),time (us),busbw (GB/s)\nall_reduce,1,100,18.35\nall_reduce,2,150,24.5\nall_gather,1,80,11\n");
    const auto c = guess_mappings(sweep);
    ASSERT_FALSE(c.empty());
    ASSERT_EQ(c[0].target, MappingTarget::collective_benchmark);
    const auto b = apply_mapping(sweep, c[0], "c.csv");
    ASSERT_TRUE(b) << b.error().text();
    const auto& bench = std::get<CollectiveBenchmark>(b->content);
    ASSERT_EQ(bench.sweeps.size(), 2U);
    EXPECT_EQ(bench.sweeps[0].type, CollectiveType::all_reduce);
    EXPECT_DOUBLE_EQ(bench.sweeps[0].rows.at(0).size.value(), 1048576);
    // 1 MiB in 100 us
    EXPECT_NEAR(bench.sweeps[0].rows[0].out_of_place->algorithm_bandwidth.value(), 1.048576e10, 1);
}

TEST(Mapping, AUnitThatIsNotStatedIsSaid)
{
    const MeasuredTable t = table_of("step,step_time\n1,2.5\n");
    const auto m = apply_mapping(t, guess_mappings(t).at(0), "t.csv");
    ASSERT_TRUE(m);
    ASSERT_FALSE(m->notes.empty());
    EXPECT_NE(m->notes[0].find("not stated"), std::string::npos);
}

TEST(Mapping, BrokenDocumentsAndColumnsAreErrors)
{
    for (const char* text : {"", "[]", "{}", R"({"kind":"column-mapping","version":2})", R"({"kind":"column-mapping","version":1,"target":"tea"})", R"({"kind":"column-mapping","version":1,"target":"training log"})",
             R"({"kind":"column-mapping","version":1,"target":"training log","columns":{"a":{"is":"colour"}}})", R"({"kind":"column-mapping","version":1,"target":"training log","columns":{"a":{"is":"step time","unit":"furlong"}}})",
             R"({"kind":"column-mapping","version":1,"target":"training log","columns":{"a":{"is":"step"},"b":{"is":"step"}}})", R"({"kind":"column-mapping","version":1,"target":"training log","columns":{"a":7}})"}) {
        const auto m = read_mapping(text, "map.json");
        ASSERT_FALSE(m) << text;
        EXPECT_FALSE(m.error().message.empty());
    }
    const MeasuredTable t = table_of("step,step_time\n1,2.5\n");
    EXPECT_FALSE(apply_mapping(t, {MappingTarget::training_log, {{"absent", "step time", "s"}}}, "t"));
    EXPECT_FALSE(apply_mapping(t, {MappingTarget::training_log, {{"step", "step", ""}}}, "t")); // nothing measured
    EXPECT_FALSE(apply_mapping({{"a", "b"}, {{"1"}}}, {MappingTarget::training_log, {{"b", "step time", "s"}}}, "t")); // a short row
}

TEST(Mapping, WhatDoesNotFitIsNamedByRowAndColumn)
{
    const MeasuredTable t = table_of("step,t (ms),note\n1,250,a\n2,oops,b\n3,,c\n4,0,d\n5,-3,e\n6,12 s,f\n");
    const MappingCheck c = check_mapping(t, {MappingTarget::training_log, {{"step", "step", ""}, {"t (ms)", "step time", "ms"}}});
    EXPECT_EQ(c.rows_checked, 6);
    EXPECT_EQ(c.wrong_cells, 3); // an empty cell is a missing value, one with a unit of its own says it better
    ASSERT_EQ(c.problems.size(), 3U);
    EXPECT_EQ(c.problems[0].row, 1);
    EXPECT_EQ(c.problems[0].column, 1);
    EXPECT_EQ(c.problems[0].found, "oops");
    EXPECT_NE(c.problems[0].message.find("step time in ms"), std::string::npos);
    EXPECT_EQ(c.problems[1].row, 3);
    EXPECT_EQ(c.problems[2].row, 4);
    EXPECT_EQ(check_mapping(t, {MappingTarget::training_log, {{"t (ms)", "step time", "ms"}}}, 2).problems.size(), 2U);
    EXPECT_EQ(check_mapping(t, {MappingTarget::training_log, {{"t (ms)", "step time", "ms"}}}, 100, 3).rows_checked, 3);
}

TEST(Mapping, WholeColumnsThatDoNotFitComeFirst)
{
    const MeasuredTable t = table_of("a,b\nx,1\ny,2\n");
    const auto problems = [&](const ColumnMapping& m) { return check_mapping(t, m).problems; };
    for (const ColumnMapping& m : {ColumnMapping{MappingTarget::training_log, {}}, ColumnMapping{MappingTarget::training_log, {{"b", "step", ""}}}, ColumnMapping{MappingTarget::training_log, {{"c", "step time", ""}}},
             ColumnMapping{MappingTarget::training_log, {{"b", "colour", ""}}}}) {
        ASSERT_FALSE(problems(m).empty());
        EXPECT_EQ(problems(m).front().row, -1);
        EXPECT_FALSE(apply_mapping(t, m, "t.csv"));
    }
    const auto twice = problems({MappingTarget::training_log, {{"a", "step time", ""}, {"b", "step time", ""}}});
    ASSERT_FALSE(twice.empty());
    EXPECT_EQ(twice.front().column, 1);
    EXPECT_TRUE(problems({MappingTarget::metrics, {{"a", "time", ""}, {"b", "value", ""}}}).front().message.find("no time") == 0);
}

TEST(Mapping, TakesThePlaceOfTheTablesThatHaveItsColumns)
{
    auto found = read_measured_text("Iter No,Iteration Time (ms),colour\n1,250,red\n2,260,blue\n3,1\n", "x.csv");
    ASSERT_TRUE(found);
    const ColumnMapping other{MappingTarget::training_log, {{"Time", "step time", "ms"}}};
    const auto none = map_tables(*found, other);
    ASSERT_TRUE(none);
    EXPECT_EQ(*none, 0);
    EXPECT_TRUE(std::holds_alternative<MeasuredTable>(found->front().content));
    const ColumnMapping mapping{MappingTarget::training_log, {{"Iteration Time (ms)", "step time", "ms"}}};
    const auto one = map_tables(*found, mapping);
    ASSERT_TRUE(one) << one.error().text();
    ASSERT_EQ(*one, 1);
    EXPECT_EQ(std::get<TrainingLog>(found->front().content).steps.size(), 2U);
    ASSERT_EQ(found->front().skipped.size(), 1U) << "the row of another width";
    EXPECT_EQ(*map_tables(*found, mapping), 0) << "no table is left";
}

} // namespace
} // namespace ridgepoint
