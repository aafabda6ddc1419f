#pragma once
// Published measurements as rows of named columns, and the figures that a comparison prints.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace ridgepoint::test {

class Table {
public:
    static Table read(const std::string& file)
    {
        Table t;
        std::ifstream in(file);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        std::vector<std::string> fields;
        std::string field;
        bool quoted = false;
        for (char c : text) {
            if (c == '"')
                quoted = !quoted;
            else if (quoted || (c != ',' && c != '\n' && c != '\r'))
                field += c;
            else if (c == ',' || c == '\n') {
                fields.push_back(std::move(field));
                field.clear();
                if (c == '\n') {
                    t.take(std::move(fields));
                    fields.clear();
                }
            }
        }
        return t;
    }

    [[nodiscard]] std::size_t rows() const { return m_rows.size(); }
    [[nodiscard]] const std::string& text(std::size_t row, const std::string& column) const
    {
        return m_rows[row].at(m_columns.at(column));
    }
    [[nodiscard]] double number(std::size_t row, const std::string& column) const
    {
        return std::strtod(text(row, column).c_str(), nullptr);
    }

private:
    void take(std::vector<std::string> fields)
    {
        if (m_columns.empty())
            for (std::size_t i = 0; i < fields.size(); ++i)
                m_columns[fields[i]] = i;
        else if (fields.size() == m_columns.size())
            m_rows.push_back(std::move(fields));
    }

    std::map<std::string, std::size_t> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

// Errors of predictions by stratum: predicted / measured - 1.
class Comparison {
public:
    void add(const std::string& stratum, double predicted, double measured)
    {
        m_errors[stratum].push_back(predicted / measured - 1.0);
    }

    [[nodiscard]] double median(const std::string& stratum) const { return quantile(stratum, 0.5); }
    [[nodiscard]] double quantile(const std::string& stratum, double q) const
    {
        std::vector<double> e = m_errors.at(stratum);
        for (double& v : e)
            v = std::abs(v);
        std::sort(e.begin(), e.end());
        return e[static_cast<std::size_t>(q * static_cast<double>(e.size() - 1))];
    }
    [[nodiscard]] std::vector<std::string> strata() const
    {
        std::vector<std::string> out;
        for (const auto& [name, errors] : m_errors)
            out.push_back(name);
        return out;
    }
    void print() const
    {
        for (const auto& [name, errors] : m_errors) {
            std::vector<double> e = errors;
            std::sort(e.begin(), e.end());
            fmt::print("{:44} {:5} rows  median {:5.1f} %  p90 {:5.1f} %  bias {:+5.1f} %\n", name, e.size(),
                100 * median(name), 100 * quantile(name, 0.9), 100 * e[e.size() / 2]);
        }
    }

private:
    std::map<std::string, std::vector<double>> m_errors;
};

} // namespace ridgepoint::test
