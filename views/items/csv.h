#pragma once
// A table as CSV: UTF-8, RFC 4180, '.' decimal whatever the locale, one header row with units in brackets.

#include <QAbstractItemModel>
#include <QModelIndexList>
#include <QString>

namespace ridgepoint {

QString csv_cell(const QString& text);
QString csv_number(double value); // shortest text that reads back as the same number; empty for what is not finite
QString csv_line(const QStringList& cells); // with CR LF

// Rows of `rows`, or all rows if it is empty, in the order shown. `raw_role` of a cell is its number, of a header its
// name with the unit in brackets.
QString to_csv(const QAbstractItemModel& model, int raw_role, const QModelIndexList& rows = {});

} // namespace ridgepoint
