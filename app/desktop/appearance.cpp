#include "app/desktop/appearance.h"

#include <algorithm>

#include <QApplication>
#include <QFont>
#include <QPalette>
#include <QSettings>
#include <QStyle>
#include <QToolTip>

namespace ridgepoint {
namespace {

    const QString theme_key = QStringLiteral("view/theme");
    const QString scale_key = QStringLiteral("view/text_scale");

    QPalette make_palette(bool dark)
    {
        const QColor window = dark ? QColor(0x26, 0x29, 0x30) : QColor(0xf3, 0xf4, 0xf6);
        const QColor base = dark ? QColor(0x1e, 0x21, 0x27) : QColor(0xff, 0xff, 0xff);
        const QColor alternate = dark ? QColor(0x2b, 0x2f, 0x37) : QColor(0xee, 0xf1, 0xf5);
        const QColor text = dark ? QColor(0xe8, 0xea, 0xed) : QColor(0x1b, 0x1e, 0x23);
        const QColor dim = dark ? QColor(0x8a, 0x91, 0x9c) : QColor(0x80, 0x86, 0x90);
        const QColor button = dark ? QColor(0x32, 0x37, 0x40) : QColor(0xe9, 0xec, 0xf0);
        const QColor highlight = dark ? QColor(0x2f, 0x7f, 0xb8) : QColor(0x00, 0x72, 0xb2);
        QPalette p;
        p.setColor(QPalette::Window, window);
        p.setColor(QPalette::WindowText, text);
        p.setColor(QPalette::Base, base);
        p.setColor(QPalette::AlternateBase, alternate);
        p.setColor(QPalette::Text, text);
        p.setColor(QPalette::Button, button);
        p.setColor(QPalette::ButtonText, text);
        p.setColor(QPalette::BrightText, Qt::white);
        p.setColor(QPalette::ToolTipBase, dark ? QColor(0x33, 0x38, 0x42) : QColor(0xff, 0xff, 0xf2));
        p.setColor(QPalette::ToolTipText, text);
        p.setColor(QPalette::PlaceholderText, dim);
        p.setColor(QPalette::Highlight, highlight);
        p.setColor(QPalette::HighlightedText, Qt::white);
        p.setColor(QPalette::Link, dark ? QColor(0x6c, 0xb8, 0xf0) : QColor(0x00, 0x5f, 0x99));
        p.setColor(QPalette::LinkVisited, dark ? QColor(0xc7, 0x9a, 0xe0) : QColor(0x6f, 0x3f, 0x8f));
        p.setColor(QPalette::Light, dark ? button.lighter(130) : Qt::white);
        p.setColor(QPalette::Midlight, dark ? button.lighter(115) : QColor(0xf4, 0xf6, 0xf8));
        p.setColor(QPalette::Mid, dark ? QColor(0x4a, 0x50, 0x5c) : QColor(0xb9, 0xbe, 0xc6));
        p.setColor(QPalette::Dark, dark ? QColor(0x16, 0x18, 0x1d) : QColor(0x9a, 0xa0, 0xaa));
        p.setColor(QPalette::Shadow, dark ? Qt::black : QColor(0x70, 0x75, 0x7d));
        for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
            p.setColor(QPalette::Disabled, role, dim);
        p.setColor(QPalette::Disabled, QPalette::Highlight, dark ? QColor(0x3c, 0x42, 0x4d) : QColor(0xcd, 0xd2, 0xd9));
        return p;
    }

    QPalette& system_palette()
    {
        static QPalette palette = QApplication::palette(); // as it was before the first change
        return palette;
    }

    double system_font_size()
    {
        static const double size = QApplication::font().pointSizeF();
        return size;
    }

} // namespace

Appearance appearance_from(const QString& name)
{
    if (name == QStringLiteral("light"))
        return Appearance::Light;
    if (name == QStringLiteral("dark"))
        return Appearance::Dark;
    return Appearance::System;
}

QString name_of(Appearance appearance)
{
    switch (appearance) {
    case Appearance::Light:
        return QStringLiteral("light");
    case Appearance::Dark:
        return QStringLiteral("dark");
    case Appearance::System:
        break;
    }
    return QStringLiteral("system");
}

void apply_appearance(Appearance appearance)
{
    const QPalette& system = system_palette();
    const QPalette palette = appearance == Appearance::System ? system : make_palette(appearance == Appearance::Dark);
    QApplication::setPalette(palette);
    QToolTip::setPalette(palette);
}

Appearance saved_appearance() { return appearance_from(QSettings().value(theme_key).toString()); }

void save_appearance(Appearance appearance) { QSettings().setValue(theme_key, name_of(appearance)); }

void apply_text_scale(double scale)
{
    QFont font = QApplication::font();
    const double base = system_font_size();
    if (base <= 0)
        return; // a font given in pixels: left alone
    font.setPointSizeF(base * std::clamp(scale, 0.7, 2.0));
    QApplication::setFont(font);
}

double saved_text_scale()
{
    bool ok = false;
    const double scale = QSettings().value(scale_key, 1.0).toDouble(&ok);
    return ok ? std::clamp(scale, 0.7, 2.0) : 1.0;
}

void save_text_scale(double scale) { QSettings().setValue(scale_key, scale); }

} // namespace ridgepoint
