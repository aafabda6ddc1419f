#include "app/desktop/session.h"

#include <algorithm>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStandardPaths>
#include <QUuid>

#include <nlohmann/json.hpp>

#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr qint64 largest_recovery_file = 16 * 1024 * 1024;

    QString lock_of(const QString& recovery_file) { return recovery_file + QStringLiteral(".lock"); }

} // namespace

Session::Session(Document* document, QObject* parent) : QObject(parent), m_document(document)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(1000);
    connect(&m_timer, &QTimer::timeout, this, &Session::write_now);
    const auto note = [this] {
        if (m_document->is_modified())
            m_timer.start();
        else
            forget();
    };
    connect(document, &Document::plan_changed, this, note);
    connect(document, &Document::title_changed, this, note);
}

Session::~Session() { forget(); }

QString Session::folder()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recovery");
}

void Session::write_now()
{
    if (m_path.isEmpty()) {
        if (!QDir().mkpath(folder()))
            return; // nowhere to write: working goes on without the net
        m_path = folder() + QStringLiteral("/%1.json").arg(QUuid::createUuid().toString(QUuid::WithoutBraces));
        m_lock = std::make_unique<QLockFile>(lock_of(m_path));
        m_lock->setStaleLockTime(0);
        m_lock->tryLock(0);
    }
    const nlohmann::json content = {{"file", to_std(m_document->file())}, {"plan", to_json(m_document->plan())}};
    QSaveFile file(m_path);
    if (!file.open(QIODevice::WriteOnly))
        return;
    const std::string text = content.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
    file.write(text.data(), static_cast<qint64>(text.size()));
    file.commit();
}

void Session::forget()
{
    m_timer.stop();
    if (m_path.isEmpty())
        return;
    QFile::remove(m_path);
    m_lock.reset();
    QFile::remove(lock_of(m_path));
    m_path.clear();
}

std::vector<Recovered> Session::find_lost()
{
    std::vector<Recovered> lost;
    const QDir directory(folder());
    for (const QFileInfo& info : directory.entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Time)) {
        QLockFile lock(lock_of(info.filePath()));
        lock.setStaleLockTime(0);
        if (!lock.tryLock(0))
            continue; // its program is running
        lock.unlock();
        QFile file(info.filePath());
        if (info.size() > largest_recovery_file || !file.open(QIODevice::ReadOnly))
            continue;
        const nlohmann::json content = nlohmann::json::parse(file.readAll().toStdString(), nullptr, false);
        if (!content.is_object() || !content.contains("plan"))
            continue;
        Expected<Plan> plan = plan_from_text(content["plan"].dump(), to_std(info.filePath()));
        if (!plan)
            continue;
        const auto path = content.find("file");
        lost.push_back({*plan, path != content.end() && path->is_string() ? to_qt(path->get<std::string>()) : QString(), info.lastModified(), info.filePath()});
    }
    return lost;
}

void Session::discard(const Recovered& lost)
{
    QFile::remove(lost.recovery_file);
    QFile::remove(lock_of(lost.recovery_file));
}

} // namespace ridgepoint
