#pragma once
// The page "Accuracy" (resources/help/accuracy.md): what validation says of a set of measurements, as Markdown. It is
// documentation of the project and the program's own help at once, and made by the program alone; what people have to
// say about the figures stands in a file of notes that the page includes.

#include <string>
#include <vector>

#include "model/report/accuracy_history.h"

namespace ridgepoint {

struct AccuracyPage {
    std::vector<FileValidation> files;
    std::string notes; // Markdown, as it stands
    std::vector<AccuracyRecord> history; // oldest first
};

// The same bytes for the same figures, wherever it is run.
std::string accuracy_markdown(const AccuracyPage& page);

// Files beside the page: "help/accuracy.md" has "help/accuracy-notes.md" and "help/accuracy-history.csv". Either may be
// absent; the page then goes without it.
std::string accuracy_notes_file(const std::string& page_file);
std::string accuracy_history_file(const std::string& page_file);
Status read_accuracy_companions(const std::string& page_file, AccuracyPage& page);

} // namespace ridgepoint
