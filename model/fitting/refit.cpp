#include "model/fitting/refit.h"

#include <algorithm>

#include "model/fitting/collective_fits.h"
#include "model/fitting/derivations.h"
#include "model/fitting/kernel_fits.h"
#include "model/fitting/measurements.h"
#include "model/fitting/serving_fit.h"
#include "model/fitting/training_fit.h"

namespace ridgepoint {
namespace {

class Refitter {
public:
    Refitter(const RefitRequest& request, SpecStore& specs, EfficiencyDocuments& documents, const Progress& progress)
        : m_specs(specs)
        , m_documents(documents)
        , m_progress(progress)
        , m_wanted([&request](const std::string& id) { return request.only.empty() || std::ranges::find(request.only, id) != request.only.end(); })
    {
    }

    Status run(const std::vector<MeasurementFile>& files, Refit& out)
    {
        if (Status s = fit_kernels(files, m_specs, m_wanted, m_fitted); !s)
            return s;
        m_progress.at(0.6);
        fit_domains(files, m_specs, m_wanted, m_fitted);
        fit_domain_exchanges(files, m_specs, m_wanted, m_fitted);
        if (Status s = take_over(); !s)
            return s;
        derive_kernels(m_documents, m_wanted);
        derive_domains(m_documents, m_wanted);
        if (Status s = m_documents.put_into(m_specs); !s)
            return s;
        m_progress.at(0.8);
        for (const std::string& fabric : fitted_fabrics()) {
            if (m_progress.stopped())
                return Error{ErrorKind::cancelled, {}, "Stopped", {}, {}, {}};
            if (!m_wanted(fabric) || !m_documents.contains(fabric))
                continue;
            if (Status s = fit_fabric(fabric, files, m_specs, m_fitted); !s)
                return s;
            if (Status s = take_over(); !s)
                return s;
            if (Status s = m_documents.put_into(m_specs); !s) // the next fabric may be like this one
                return s;
        }
        fit_fabric_exchanges(files, m_specs, m_wanted, m_fitted);
        if (Status s = take_over(); !s)
            return s;
        derive_fabrics(m_documents, m_wanted);
        if (Status s = m_documents.put_into(m_specs); !s) // training is fitted on top of the laws
            return s;
        if (Status s = fit_training(files, m_specs, m_wanted, m_fitted); !s)
            return s;
        m_progress.at(0.9);
        if (Status s = fit_serving(files, m_specs, m_wanted, m_fitted); !s)
            return s;
        if (Status s = take_over(); !s)
            return s;
        derive_training(m_documents, m_wanted);
        for (const std::string& id : m_documents.ids())
            if (m_wanted(id))
                out.documents[id] = m_documents.text(id);
        out.changes = m_documents.changes();
        out.fitted = std::move(m_fitted);
        m_progress.at(1.0);
        return Done{};
    }

private:
    Status take_over()
    {
        for (; m_applied < m_fitted.laws.size(); ++m_applied)
            if (Status s = m_documents.apply(m_fitted.laws[m_applied]); !s)
                return s;
        return Done{};
    }

    SpecStore& m_specs;
    EfficiencyDocuments& m_documents;
    const Progress& m_progress;
    Wanted m_wanted;
    FittedLaws m_fitted;
    std::size_t m_applied = 0;
};

} // namespace

Expected<Refit> refit(const RefitRequest& request, SpecStore specs, const Progress& progress)
{
    Expected<EfficiencyDocuments> documents = EfficiencyDocuments::load(specs);
    if (!documents)
        return documents.error();
    for (const std::string& id : request.only)
        if (!documents->contains(id)) {
            std::string known;
            for (const std::string& name : documents->ids())
                known += (known.empty() ? "" : ", ") + name;
            return bad_input("There are no constants of this name", {}, "\"" + id + "\"", "one of: " + known);
        }
    const Expected<std::vector<MeasurementFile>> files = read_measurements(request.measurements);
    if (!files)
        return files.error();
    Refit out;
    if (Status s = Refitter(request, specs, *documents, progress).run(*files, out); !s)
        return s.error();
    return out;
}

} // namespace ridgepoint
