// The report: complete, well formed, the same bytes every time, and honest about money and sources.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/project/fields.h"
#include "model/project/run_answer.h"
#include "model/report/evaluation_json.h"
#include "model/report/figures.h"
#include "model/report/report.h"
#include "model/report/svg.h"
#include "tests/model/project/catalogue.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;

struct Made {
    Plan plan;
    Evaluation evaluation;
    Report report;
};

Made make(Plan plan)
{
    Expected<Evaluation> v = evaluate(plan, catalogue());
    EXPECT_TRUE(v) << v.error().text();
    Made m{plan, *v, {}};
    m.report = build_report(m.plan, m.evaluation, catalogue());
    return m;
}

Made make_example(const std::string& name)
{
    const Expected<Plan> plan = load_plan(example_file(name));
    EXPECT_TRUE(plan) << plan.error().text();
    return make(*plan);
}

// Tags nest, attributes are quoted, nothing is left open: enough of XML to catch what our writers could do wrong.
::testing::AssertionResult well_formed(const std::string& text, const std::set<std::string>& void_tags)
{
    std::vector<std::string> open;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
        if (text.compare(at, 2, "<!") == 0) {
            at = text.find('>', at);
            continue;
        }
        std::size_t end = at + 1;
        bool in_quotes = false;
        for (; end < text.size() && (in_quotes || text[end] != '>'); ++end) {
            if (text[end] == '"')
                in_quotes = !in_quotes;
            else if (text[end] == '<' && !in_quotes)
                return ::testing::AssertionFailure() << "a tag inside a tag: " << text.substr(at, 80);
        }
        if (end >= text.size())
            return ::testing::AssertionFailure() << "tag without end: " << text.substr(at, 80);
        std::string tag = text.substr(at + 1, end - at - 1);
        const bool closing = tag.front() == '/', self = tag.back() == '/';
        const std::string name = tag.substr(closing, tag.find_first_of(" />\n", closing) - closing);
        if (closing) {
            if (open.empty() || open.back() != name)
                return ::testing::AssertionFailure() << "</" << name << "> closes <" << (open.empty() ? "nothing" : open.back()) << ">";
            open.pop_back();
        } else if (!self && !void_tags.contains(name)) {
            open.push_back(name);
        }
        at = end;
        if (name == "style" && !closing)
            at = text.find("</style", at);
    }
    return open.empty() ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << "<" << open.back() << "> is never closed";
}

std::string all_text(const Report& r) { return to_markdown(r); }

TEST(Report, HasEverySectionWithContent)
{
    const Made m = make_example("llama-3.1-405b-pretrain-p5en");
    std::vector<std::string> titles;
    for (const ReportSection& s : m.report.sections) {
        titles.push_back(s.title);
        EXPECT_FALSE(s.paragraphs.empty() && s.tables.empty()) << s.title;
        for (const ReportTable& t : s.tables) {
            EXPECT_FALSE(t.title.empty());
            EXPECT_FALSE(t.rows.empty()) << s.title << ": " << t.title;
            for (const auto& row : t.rows)
                EXPECT_EQ(row.size(), t.header.size()) << t.title;
        }
    }
    EXPECT_THAT(titles, testing::ElementsAre("Decision", "Requirement", "Alternatives", "Fit", "Bounds", "Roofline", "Time and failures", "Cost", "Sensitivity", "Risks", "Assumptions", "Sources", "Reproduce"));
    const std::string text = all_text(m.report);
    EXPECT_THAT(text, HasSubstr("not a quote"));
    EXPECT_THAT(text, HasSubstr("us-east-1"));
    EXPECT_THAT(text, HasSubstr(m.evaluation.cost.price->date));
    EXPECT_THAT(text, HasSubstr("not chosen")) << "sources that disagree are named";
    EXPECT_THAT(text, HasSubstr("p6-b200.48xlarge")) << "an alternative";
}

TEST(Report, EveryWorkloadIsWellFormedAndRepeatable)
{
    for (const char* name : {"llama-3.1-405b-pretrain-p5en", "llama-3.1-70b-lora-p4de", "deepseek-v3-decode-p6-b300", "llama-3.1-70b-prefill-p5en", "llama-3.1-8b-serving-p5.4xlarge"}) {
        const Made m = make_example(name);
        const std::string html = to_html(m.report, m.evaluation);
        EXPECT_TRUE(well_formed(html, {"meta", "link", "br"})) << name;
        EXPECT_TRUE(html == to_html(build_report(m.plan, m.evaluation, catalogue()), m.evaluation)) << name;
        for (const char* never : {">nan", "\"nan", " nan ", ">inf", "<script", "src=\"http", "href=\"http"}) // not a number, no code, no network
            EXPECT_EQ(html.find(never), std::string::npos) << name << ": " << never;
        for (const char* part : {"fig-roofline", "fig-breakdown", "fig-memory", "lang=\"en\"", "scope=\"col\"", "scope=\"row\"", "prefers-color-scheme", "<caption>", "role=\"img\""})
            EXPECT_NE(html.find(part), std::string::npos) << name << ": " << part;
    }
}

// Deciders read what was asked, the answer, what else there is, time, money and risks, and how to reproduce it.
TEST(Report, TheExecutiveLevelLeavesTheEngineeringOut)
{
    const Made m = make_example("llama-3.1-405b-pretrain-p5en");
    ReportOptions options;
    options.detail = ReportDetail::executive;
    const Report r = build_report(m.plan, m.evaluation, catalogue(), options);
    std::vector<std::string> titles;
    for (const ReportSection& s : r.sections)
        titles.push_back(s.title);
    EXPECT_THAT(titles, testing::ElementsAre("Decision", "Requirement", "Alternatives", "Time and failures", "Cost", "Sensitivity", "Risks", "Reproduce"));
    EXPECT_LT(to_markdown(r).size(), to_markdown(m.report).size());
}

TEST(Report, TitleFieldsLogoAndDayAreInIt)
{
    const Made m = make_example("llama-3.1-405b-pretrain-p5en");
    ReportOptions options;
    options.organization = "Example & Co.";
    options.reference = "RFQ-7";
    options.logo = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    options.today = *parse_date("2028-01-01");
    const Report r = build_report(m.plan, m.evaluation, catalogue(), options);
    const std::string html = to_html(r, m.evaluation);
    EXPECT_THAT(html, HasSubstr("Example &amp; Co."));
    EXPECT_THAT(html, HasSubstr("data:image/svg+xml;base64,"));
    EXPECT_EQ(html.find("<script"), std::string::npos) << "a logo is a picture, not markup";
    const std::string text = to_markdown(r);
    EXPECT_THAT(text, HasSubstr("RFQ-7"));
    EXPECT_THAT(text, HasSubstr("The price is old")) << "a list of 2026, read in 2028";
    EXPECT_EQ(to_markdown(m.report).find("The price is old"), std::string::npos) << "without a day nothing is old";
}

// The lines of the bill are the bill; parts of the wall time are the wall time.
TEST(Report, TheBillAddsUp)
{
    const Made m = make_example("llama-3.1-405b-pretrain-p5en");
    const Expected<RunAnswer> run = evaluate_run(m.plan, catalogue(), {});
    ASSERT_TRUE(run) << run.error().text();
    ASSERT_TRUE(run->cost);
    Dollars sum;
    for (const CostLine& l : run->cost->expected.lines)
        sum += l.amount;
    EXPECT_NEAR(sum.value(), run->cost->expected.total.value(), 1e-6 * sum.value());
    const std::string text = to_markdown(m.report);
    EXPECT_THAT(text, HasSubstr("The bill of the expected run"));
    EXPECT_THAT(to_html(m.report, m.evaluation), HasSubstr(">this plan<")) << "the plan itself stands among the layouts";
    for (const char* part : {"fig-run", "fig-bill", "fig-tornado", "fig-pareto"})
        EXPECT_THAT(to_html(m.report, m.evaluation), HasSubstr(part));
}

TEST(Report, MeasuredFilesAreSetAgainstThePlan)
{
    const Made m = make_example("llama-3.1-405b-pretrain-p5en");
    TrainingLog log;
    log.framework = "Megatron-LM";
    for (int i = 0; i < 20; ++i) {
        TrainingStep s;
        s.step = i;
        s.time = m.evaluation.estimate.training->step * 1.25;
        log.steps.push_back(s);
    }
    std::vector<Measured> measured(1);
    measured[0].file = "/somewhere/train.log";
    measured[0].content = log;
    ReportOptions options;
    options.measured = &measured;
    const std::string text = to_markdown(build_report(m.plan, m.evaluation, catalogue(), options));
    EXPECT_THAT(text, HasSubstr("## Measured"));
    EXPECT_THAT(text, HasSubstr("train.log"));
    EXPECT_THAT(text, HasSubstr("-20.0 %"));
}

TEST(Report, WhatTheUserWroteIsTextNotMarkup)
{
    Plan p = example_plan();
    p.name = "<script>alert(1)</script> & \"quotes\" | bars";
    p.notes = "</p><b>bold</b>";
    const Made m = make(p);
    const std::string html = to_html(m.report, m.evaluation);
    EXPECT_TRUE(well_formed(html, {"meta"}));
    EXPECT_EQ(html.find("<script"), std::string::npos);
    EXPECT_EQ(html.find("<b>"), std::string::npos);
    EXPECT_NE(html.find("&lt;script&gt;"), std::string::npos);
    const std::string markdown = to_markdown(m.report);
    EXPECT_THAT(markdown, HasSubstr("\\<script"));
    EXPECT_THAT(markdown, HasSubstr("\\|"));
}

TEST(Report, SaysSoWhenThePlanDoesNotFitOrHasNoPrice)
{
    Plan p = example_plan();
    p.layout.pp = 2;
    p.layout.vpp = 1;
    p.layout.schedule = PipelineSchedule::one_f_one_b;
    p.nodes = 16;
    p.price.region = "mars-north-1";
    const Made m = make(p);
    ASSERT_FALSE(m.evaluation.estimate.feasible());
    const std::string text = all_text(m.report);
    EXPECT_THAT(text, HasSubstr("Does not fit"));
    EXPECT_THAT(text, HasSubstr("No money is stated"));
    EXPECT_THAT(text, HasSubstr("the plan does not fit"));
    EXPECT_THAT(to_html(m.report, m.evaluation), HasSubstr("verdict bad"));
}

TEST(Report, ThePlanInItReproducesIt)
{
    const Made m = make_example("llama-3.1-70b-sft-p5");
    const Expected<Plan> again = plan_from_text(m.report.sections.back().code, "from the report");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_TRUE(*again == m.plan);
    EXPECT_EQ(to_markdown(make(*again).report), to_markdown(m.report));
}

TEST(Report, CsvHoldsEveryRow)
{
    const Made m = make_example("llama-3.1-8b-serving-p5.4xlarge");
    std::size_t lines = 0;
    for (const ReportSection& s : m.report.sections)
        for (const ReportTable& t : s.tables)
            lines += t.rows.size() + 3; // titles, header, rows, blank
    const std::string csv = to_csv(m.report);
    EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), lines);
}

TEST(Mfu, ConventionsAreOrderedAsTheirDefinitionsSay)
{
    const Made m = make_example("llama-3.1-405b-pretrain-p5en");
    std::map<std::string, double> mfu;
    for (const auto& [name, value] : mfu_by_convention(m.evaluation))
        mfu[name] = value;
    ASSERT_EQ(mfu.size(), 5u);
    EXPECT_DOUBLE_EQ(mfu["model_exact"], m.evaluation.estimate.training->mfu);
    EXPECT_LT(mfu["six_n_causal_attention"], mfu["six_n_full_attention"]);
    EXPECT_LT(mfu["model_exact"], mfu["hardware"]) << "FlashAttention computes its scores again";
    // Causal attention is (s + 1)/2 exactly against s/2 in the convention; embeddings aside the two agree.
    EXPECT_NEAR(mfu["model_exact"] / mfu["six_n_causal_attention"], 1.0, 0.01);
}

TEST(Svg, EscapesAndNumbersAreStable)
{
    EXPECT_EQ(escape_xml("a<b>&\"'\x01"), "a&lt;b&gt;&amp;&quot;&#39;");
    Svg svg(100, 50, "x", "T & t", "D");
    svg.rect(1.0 / 3.0, -0.0001, 10, -5, "c", "tip <1>");
    svg.text(1, 2, "a<b");
    const std::string s = svg.str();
    EXPECT_THAT(s, HasSubstr("x=\"0.33\" y=\"0\" width=\"10\" height=\"0\""));
    EXPECT_THAT(s, HasSubstr("<title>tip &lt;1&gt;</title>"));
    EXPECT_TRUE(well_formed(s, {}));
}

TEST(Figures, DrawEveryStageAndTheCapacity)
{
    const Made m = make_example("llama-3.1-70b-sft-p5");
    const std::string svg = memory_svg(m.evaluation);
    EXPECT_THAT(svg, HasSubstr("stage 0"));
    EXPECT_THAT(svg, HasSubstr("stage 1"));
    EXPECT_THAT(svg, HasSubstr("capacity"));
    EXPECT_TRUE(well_formed(svg, {}));
    EXPECT_TRUE(well_formed(roofline_svg(m.evaluation), {}));
    EXPECT_TRUE(well_formed(breakdown_svg(m.evaluation), {}));
}

} // namespace
} // namespace ridgepoint
