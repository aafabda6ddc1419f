#pragma once
// Where the charts and tables live. Narrow windows: one set of tabs over the operator table; wide windows: charts on the
// left, step over memory on the right, the table below. Pages that are no view of one evaluation (search, map, what if,
// compare, and those of the operation, which share one tab) have the whole area to themselves. While results are stale everything here is veiled.

#include <optional>

#include <QHash>
#include <QSet>
#include <QStringList>
#include <QWidget>

class QSplitter;
class QTabWidget;

namespace ridgepoint {

enum class Page { Roofline, Ridgeline, Step, Memory, Operators, Trace, Search, Map, WhatIf, Compare, Load, Interactivity, Fleet, BatchContext, Passes, PostTraining, Run, Capacity };

QStringList page_names(); // as --page takes them, in the order of Page

class ResultArea final : public QWidget {
    Q_OBJECT

public:
    static constexpr int wide_from = 1400; // own width, not the window's

    explicit ResultArea(QWidget* parent = nullptr);

    void add_page(Page page, const QString& title, QWidget* widget);
    void offer_operation(const QSet<Page>& pages); // those that the plan has; at first none
    [[nodiscard]] bool is_page_offered(Page page) const { return m_pages.contains(page) && !m_withheld.contains(page); }
    void show_page(Page page); // one that is not offered: once it is
    [[nodiscard]] bool is_page_visible(Page page) const; // its tab is in front
    void set_stale(bool stale, const QString& reason = {});
    [[nodiscard]] bool is_stale() const { return m_stale; }
    [[nodiscard]] bool is_wide() const { return m_wide; }

signals:
    void page_shown();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange(bool wide);
    [[nodiscard]] QTabWidget* tabs_of(Page page) const;
    void give_room(); // to the page in front
    void place_veil();

    QSplitter* m_rows;
    QSplitter* m_columns;
    QTabWidget* m_main;
    QSplitter* m_beside;
    QTabWidget* m_side;
    QTabWidget* m_under_side;
    QTabWidget* m_table;
    QTabWidget* m_operation; // a tab of m_main
    QSet<Page> m_withheld; // of the operation
    std::optional<Page> m_wanted; // before it was offered
    QHash<Page, QWidget*> m_pages;
    QHash<Page, QString> m_titles;
    QWidget* m_veil;
    bool m_wide = false;
    bool m_arranged = false;
    bool m_stale = false;
};

} // namespace ridgepoint
