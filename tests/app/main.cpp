#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "app/desktop/appearance.h"
#include "app/desktop/application.h"

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (qEnvironmentVariableIsEmpty("RIDGEPOINT_SPECS"))
        qputenv("RIDGEPOINT_SPECS", RIDGEPOINT_SOURCE_DIR "/specs");
    ridgepoint::filter_platform_noise();
    QApplication application(argc, argv);
    ridgepoint::prepare_application();
    // The user's settings and recovery folder stay untouched, and every run starts from nothing.
    QStandardPaths::setTestModeEnabled(true);
    const QTemporaryDir settings;
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    ridgepoint::apply_appearance(ridgepoint::Appearance::Light);
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
