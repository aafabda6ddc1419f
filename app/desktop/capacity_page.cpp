#include "app/desktop/capacity_page.h"

#include <exception>

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

#include "app/desktop/today.h"
#include "model/project/snapshots.h"

namespace ridgepoint {
namespace {

    // One thread of its own: minutes of searching never stand before an evaluation.
    QThreadPool* thread_pool()
    {
        static QPointer<QThreadPool> pool;
        return pool_of_one(pool);
    }

    QStringList ids(const SpecStore& specs, SpecKind kind)
    {
        QStringList out;
        for (const std::string& id : specs.ids(kind))
            out << to_qt(id);
        return out;
    }

    Expected<CapacityFound> answer(const Plan& plan, const CapacityAsked& a, const SpecStore& specs, const CapacityOptions& options, const std::string& folder)
    {
        CapacityFound out;
        const auto keep = [](auto&& answer, auto& into) -> std::optional<Error> {
            if (!answer)
                return answer.error();
            into = std::move(*answer);
            return std::nullopt;
        };
        const std::optional<Dollars> budget = a.budget > 0 ? std::optional(Dollars{a.budget}) : std::nullopt;
        std::optional<Error> error;
        switch (a.question) {
        case CapacityQuestion::finish: {
            const std::optional<Date> from = date_of(a.today);
            if (!from)
                return bad_input("this is no day to start from");
            error = keep(answer_finish(plan, {*from, date_of(a.deadline), budget}, specs, options), out.finish);
            break;
        }
        case CapacityQuestion::machines:
            error = keep(answer_machines(plan, {a.instance, a.nodes, days(a.days), a.models, date_of(a.today)}, specs, options), out.machines);
            break;
        case CapacityQuestion::serve:
            error = keep(answer_serve(plan, budget, specs, options, folder), out.serve);
            break;
        }
        if (error)
            return *error;
        return out;
    }

} // namespace

CapacityPage::CapacityPage(Document* document, ResultArea* area)
    : QObject(area), m_document(document), m_panel(new CapacityPanel(area)), m_work(this, thread_pool())
{
    area->add_page(Page::Capacity, tr("Capacity"), m_panel);
    const auto fill = [this] { m_panel->form()->set_catalogue(ids(m_document->specs(), SpecKind::instance), ids(m_document->specs(), SpecKind::model)); };
    fill();
    connect(document, &Document::specs_changed, this, fill);
    connect(m_panel, &CapacityPanel::ask_requested, this, &CapacityPage::ask);
    connect(m_panel, &CapacityPanel::cancel_requested, this, &CapacityPage::cancel);
    connect(m_panel, &CapacityPanel::use_requested, this, &CapacityPage::take);
}

CapacityPage::~CapacityPage() = default;

bool CapacityPage::offered(const Plan& plan)
{
    const auto* serving = std::get_if<Serving>(&plan.workload);
    return serving == nullptr || serving->phase == ServingPhase::serving;
}

void CapacityPage::show(const Plan& plan) { m_panel->set_plan(plan); }

void CapacityPage::ask()
{
    const Expected<CapacityAsked> asked = m_panel->form()->asked();
    if (!asked)
        return m_panel->show_error(to_qt(asked.error().text()));
    m_panel->show_started();
    const std::string folder = m_document->file().isEmpty() ? std::string() : to_std(QFileInfo(m_document->file()).absolutePath());
    m_work.request(
        [plan = m_document->plan(), catalogue = m_document->specs(), asked = *asked, folder, panel = QPointer(m_panel)](const std::stop_token& stop) -> std::shared_ptr<const Answer> {
            auto out = std::make_shared<Answer>();
            try {
                CapacityOptions options;
                options.instances = asked.instances;
                options.nodes = asked.sizes;
                options.search_limit = Seconds{asked.search_seconds};
                options.progress.stop = stop;
                options.progress.report = [panel](double fraction) {
                    QMetaObject::invokeMethod(QCoreApplication::instance(), [panel, fraction] {
                        if (panel)
                            panel->show_progress(fraction);
                    }, Qt::QueuedConnection);
                };
                const Expected<SpecStore> specs = with_snapshots(plan, catalogue);
                Expected<CapacityFound> found = specs ? answer(plan, asked, *specs, options, folder) : Expected<CapacityFound>(specs.error());
                if (found)
                    out->found = std::move(*found);
                else
                    out->error = found.error();
            } catch (const std::exception& failure) { // exhausted memory and the like
                out->error = Error{};
                out->error->message = std::string("The computation was given up: ") + failure.what();
            }
            return out;
        },
        [this, asked = *asked](const std::shared_ptr<const Answer>& a) {
            if (a->error)
                m_panel->show_error(to_qt(a->error->text()));
            else
                m_panel->show_found(a->found, asked);
        });
}

void CapacityPage::cancel()
{
    m_work.cancel();
    m_panel->show_cancelled();
}

void CapacityPage::take(const Plan& plan, const QString& name)
{
    m_document->change_plan(plan, name);
    emit status(tr("The plan is %1 now; Undo takes it back").arg(name));
}

} // namespace ridgepoint
