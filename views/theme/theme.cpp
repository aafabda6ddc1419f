#include "views/theme/theme.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

namespace ridgepoint {
namespace {

// One colour for light backgrounds, one for dark: both at least 3:1.
struct Pair
{
    QRgb light, dark;
    [[nodiscard]] QColor on(bool dark_background) const { return QColor::fromRgb(dark_background ? dark : light); }
};
constexpr Pair blue{0xff0072b2, 0xff4aa3df};
constexpr Pair sky{0xff2f8fc6, 0xff7cc8f2};
constexpr Pair vermillion{0xffd55e00, 0xfff07f3c};
constexpr Pair green{0xff00875f, 0xff23b98d};
constexpr Pair purple{0xffb5528c, 0xffd98cb8};
constexpr Pair orange{0xffb87700, 0xffe69f00};
constexpr Pair yellow{0xff948a00, 0xfff0e442};
constexpr Pair grey{0xff6b6b6b, 0xff9aa0a8};
constexpr Pair violet{0xff7a5fb8, 0xffad96e6};
constexpr Pair plum{0xff8c3a86, 0xffc77fc4};
constexpr Pair rose{0xffb04a63, 0xffe58a9e};
constexpr Pair wine{0xff93405a, 0xffcf8096};
constexpr Pair slate{0xff5b7083, 0xff8fa5b8};
constexpr Pair brown{0xff8a6238, 0xffc49a6c};

QColor blend(const QColor& over, const QColor& under, double share)
{
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a * share + b * (1.0 - share))); };
    return {mix(over.red(), under.red()), mix(over.green(), under.green()), mix(over.blue(), under.blue())};
}

Theme made_of(bool dark, const QColor& window, const QColor& base, const QColor& text)
{
    Theme t;
    t.dark = dark;
    t.window = window;
    t.background = base;
    t.plot = base;
    t.grid = blend(text, base, dark ? 0.17 : 0.15);
    t.minor_grid = blend(text, base, dark ? 0.075 : 0.06);
    t.axis = blend(text, base, 0.55);
    t.text = text;
    t.dim_text = blend(text, base, dark ? 0.68 : 0.66);
    t.accent = dark ? QColor(0xff, 0xc8, 0x57) : QColor(0xb3, 0x3a, 0x00);
    t.roof = blend(text, base, 0.92);
    t.dim_roof = blend(text, base, 0.52);
    t.measured_roof = violet.on(dark);
    t.danger = dark ? QColor(0xff, 0x7b, 0x72) : QColor(0xc6, 0x28, 0x28);
    t.tooltip = dark ? QColor(0x33, 0x38, 0x42) : QColor(0xff, 0xff, 0xff);
    t.tooltip_text = text;
    return t;
}

} // namespace

Theme Theme::light()
{
    return made_of(false, QColor(0xf3, 0xf4, 0xf6), Qt::white, QColor(0x1b, 0x1e, 0x23));
}
Theme Theme::dark_theme()
{
    return made_of(true, QColor(0x26, 0x29, 0x30), QColor(0x1e, 0x21, 0x27), QColor(0xe8, 0xea, 0xed));
}
Theme Theme::print()
{
    return made_of(false, Qt::white, Qt::white, Qt::black);
}

Theme Theme::from_palette(const QPalette& palette)
{
    return made_of(is_dark(palette), palette.color(QPalette::Window), palette.color(QPalette::Base),
        palette.color(QPalette::Text));
}

bool is_dark(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

QColor Theme::of(OperatorClass c) const
{
    switch (c) {
    case OperatorClass::gemm:
        return blue.on(dark);
    case OperatorClass::attention:
        return vermillion.on(dark);
    case OperatorClass::memory:
        return green.on(dark);
    case OperatorClass::collective:
        return purple.on(dark);
    case OperatorClass::other:
        break;
    }
    return grey.on(dark);
}

QColor Theme::of(KernelClass c) const
{
    switch (c) {
    case KernelClass::gemm:
        return blue.on(dark);
    case KernelClass::attention:
        return vermillion.on(dark);
    case KernelClass::norm:
    case KernelClass::elementwise:
        return green.on(dark);
    case KernelClass::convolution:
        return sky.on(dark);
    case KernelClass::optimizer:
        return orange.on(dark);
    case KernelClass::collective:
        return purple.on(dark);
    default:
        return grey.on(dark);
    }
}

QColor Theme::of(StepPart p) const
{
    switch (p) {
    case StepPart::gemm:
        return blue.on(dark);
    case StepPart::attention:
        return vermillion.on(dark);
    case StepPart::elementwise:
        return green.on(dark);
    case StepPart::recompute:
        return sky.on(dark);
    case StepPart::tp_exposed:
        return purple.on(dark);
    case StepPart::cp_exposed:
        return plum.on(dark);
    case StepPart::ep_exposed:
        return violet.on(dark);
    case StepPart::pp_exposed:
        return rose.on(dark);
    case StepPart::dp_exposed:
        return wine.on(dark);
    case StepPart::bubble:
        return grey.on(dark);
    case StepPart::optimizer:
        return orange.on(dark);
    case StepPart::host:
        return slate.on(dark);
    case StepPart::straggler:
        return brown.on(dark);
    case StepPart::prefill_share:
        return yellow.on(dark);
    }
    return grey.on(dark);
}

QColor Theme::of(MemoryPart p) const
{
    switch (p) {
    case MemoryPart::weights:
        return blue.on(dark);
    case MemoryPart::gradients:
        return sky.on(dark);
    case MemoryPart::optimizer:
        return orange.on(dark);
    case MemoryPart::activations:
        return green.on(dark);
    case MemoryPart::kv_cache:
        return purple.on(dark);
    case MemoryPart::workspace:
        return violet.on(dark);
    case MemoryPart::reserve:
        break;
    }
    return grey.on(dark);
}

QColor Theme::of(Resource r) const
{
    switch (r) {
    case Resource::compute:
        return blue.on(dark);
    case Resource::hbm:
        return green.on(dark);
    case Resource::nvlink:
        return purple.on(dark);
    case Resource::network:
        return vermillion.on(dark);
    case Resource::latency:
        return grey.on(dark);
    case Resource::storage:
        break;
    }
    return orange.on(dark);
}

QColor Theme::of(MemoryLevel l) const
{
    switch (l) {
    case MemoryLevel::hbm:
        return green.on(dark);
    case MemoryLevel::nvlink:
        return purple.on(dark);
    case MemoryLevel::network:
        break;
    }
    return vermillion.on(dark);
}

QColor Theme::density(double share) const
{
    const double s = std::clamp(share, 0.0, 1.0);
    // A grey that no class has: the marks above it keep their colours.
    const QColor deep = dark ? QColor(0xe6, 0xec, 0xf2) : QColor(0x22, 0x30, 0x3c);
    return blend(deep, plot, 0.16 + 0.74 * s);
}

QColor Theme::text_on(const QColor& fill) const
{
    const QColor ink(0x10, 0x12, 0x16);
    return contrast_ratio(fill, Qt::white) >= contrast_ratio(fill, ink) ? QColor(Qt::white) : ink;
}

double relative_luminance(const QColor& c)
{
    const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

double contrast_ratio(const QColor& a, const QColor& b)
{
    const double la = relative_luminance(a);
    const double lb = relative_luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QString name_of(MemoryPart p)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("MemoryPart", text); };
    switch (p) {
    case MemoryPart::weights:
        return tr("Weights");
    case MemoryPart::gradients:
        return tr("Gradients");
    case MemoryPart::optimizer:
        return tr("Optimizer");
    case MemoryPart::activations:
        return tr("Activations");
    case MemoryPart::kv_cache:
        return tr("KV cache");
    case MemoryPart::workspace:
        return tr("Workspace");
    case MemoryPart::reserve:
        break;
    }
    return tr("Reserve");
}

Bytes part_of(const StageMemory& m, MemoryPart p)
{
    switch (p) {
    case MemoryPart::weights:
        return m.weights;
    case MemoryPart::gradients:
        return m.gradients;
    case MemoryPart::optimizer:
        return m.optimizer;
    case MemoryPart::activations:
        return m.activations;
    case MemoryPart::kv_cache:
        return m.kv_cache;
    case MemoryPart::workspace:
        return m.workspace;
    case MemoryPart::reserve:
        break;
    }
    return m.reserve;
}

QFont pixel_font(const QFont& base, double relative_size, bool bold)
{
    QFont font(base);
    const double pixels = base.pixelSize() > 0 ? base.pixelSize() : base.pointSizeF() * 96.0 / 72.0;
    font.setPixelSize(std::max(6, static_cast<int>(std::lround(pixels * relative_size))));
    font.setBold(bold);
    return font;
}

} // namespace ridgepoint
