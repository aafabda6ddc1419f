#include <cmath>
#include <numbers>

#include "model/calibration/kernel_operators.h"
#include "views/theme/theme.h"

namespace ridgepoint {
namespace {

QPainterPath polygon(QPointF centre, std::initializer_list<QPointF> corners, double scale)
{
    QPainterPath path;
    bool first = true;
    for (const QPointF& corner : corners) {
        const QPointF p = centre + corner * scale;
        first ? path.moveTo(p) : path.lineTo(p);
        first = false;
    }
    path.closeSubpath();
    return path;
}

} // namespace

MarkShape shape_of(OperatorClass c)
{
    switch (c) {
    case OperatorClass::gemm:
        return MarkShape::circle;
    case OperatorClass::attention:
        return MarkShape::triangle;
    case OperatorClass::memory:
        return MarkShape::square;
    case OperatorClass::collective:
        return MarkShape::diamond;
    case OperatorClass::other:
        break;
    }
    return MarkShape::cross;
}

MarkShape shape_of(KernelClass c) { return shape_of(operator_class_of(c)); }

QPainterPath mark_path(MarkShape shape, QPointF c, double r)
{
    const double pi = std::numbers::pi;
    QPainterPath path;
    switch (shape) {
    case MarkShape::circle:
        path.addEllipse(c, r, r);
        break;
    case MarkShape::square: {
        const double half = r * std::sqrt(pi) / 2.0;
        path.addRect(QRectF(c.x() - half, c.y() - half, 2 * half, 2 * half));
        break;
    }
    case MarkShape::diamond: {
        const double half = r * std::sqrt(pi / 2.0);
        path = polygon(c, {{0, -1}, {1, 0}, {0, 1}, {-1, 0}}, half);
        break;
    }
    case MarkShape::triangle: { // equilateral, circumradius R: area 3 sqrt(3)/4 R^2
        const double big = r * std::sqrt(4.0 * pi / (3.0 * std::sqrt(3.0)));
        path = polygon(c, {{0, -1}, {std::sqrt(3.0) / 2.0, 0.5}, {-std::sqrt(3.0) / 2.0, 0.5}}, big);
        break;
    }
    case MarkShape::cross: { // plus: arms a third as wide as long, area 5/9 of the square around it
        const double a = r * std::sqrt(pi * 9.0 / 5.0) / 2.0;
        const double b = a / 3.0;
        path = polygon(c,
            {{-b, -a}, {b, -a}, {b, -b}, {a, -b}, {a, b}, {b, b}, {b, a}, {-b, a}, {-b, b}, {-a, b}, {-a, -b},
                {-b, -b}},
            1.0);
        break;
    }
    case MarkShape::star: { // five points; inner radius 0.45: area 5 sin(36 deg) R r_i
        const double big = r * std::sqrt(pi / (5.0 * std::sin(pi / 5.0) * 0.45));
        for (int i = 0; i < 10; ++i) {
            const double radius = i % 2 == 0 ? big : 0.45 * big;
            const double angle = -pi / 2.0 + i * pi / 5.0;
            const QPointF p = c + QPointF(std::cos(angle), std::sin(angle)) * radius;
            i == 0 ? path.moveTo(p) : path.lineTo(p);
        }
        path.closeSubpath();
        break;
    }
    }
    return path;
}

QList<qreal> dash_of(Arithmetic a)
{
    switch (a) {
    case Arithmetic::bf16:
        return {};
    case Arithmetic::fp8:
        return {8, 3};
    case Arithmetic::fp4:
        return {4, 3};
    case Arithmetic::fp6:
        return {8, 3, 2, 3};
    case Arithmetic::int8:
        return {5, 2, 1, 2};
    case Arithmetic::tf32:
        return {3, 2, 1, 2, 1, 2};
    case Arithmetic::fp32:
        return {2, 3};
    case Arithmetic::fp64:
        return {1, 2};
    }
    return {};
}

QList<qreal> dash_of(MemoryLevel l)
{
    switch (l) {
    case MemoryLevel::hbm:
        return {};
    case MemoryLevel::nvlink:
        return {8, 3};
    case MemoryLevel::network:
        return {3, 3};
    }
    return {};
}

QList<qreal> dash_of_measured_roofs()
{
    return {5, 2.5};
}

} // namespace ridgepoint
