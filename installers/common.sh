# Shared by installers/run and tests/run, which set `root` (the source tree) and `me` (their own name).
: "${root:?}" "${me:?}"

say() { printf '%s\n' "$*" >&2; }
die() { say "$me: $*"; exit 1; }

# The names of some sections of packages.txt.
packages_of() {
    local section name tag rest
    while read -r name tag rest; do
        case $name in '' | '#'*) continue ;; esac
        for section in "$@"; do
            [ "$tag" = "$section" ] && printf '%s\n' "$name"
        done
    done < "$root/installers/packages.txt"
    return 0
}

# Installs what is missing of the named sections; says nothing and needs no rights if nothing is.
install_packages() {
    local wanted missing=() name as_root=()
    mapfile -t wanted < <(packages_of "$@")
    [ "${#wanted[@]}" -gt 0 ] || die "installers/packages.txt lists nothing for: $*"
    if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
        [ -n "${RIDGEPOINT_NO_INSTALL:-}" ] && return 0
        say "$me: this system has no apt, so the packages cannot be installed from here. Install what corresponds to"
        say "these Debian packages, then start again with RIDGEPOINT_NO_INSTALL=1:"
        say "  ${wanted[*]}"
        exit 1
    fi
    local installed
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2> /dev/null | sed -n 's/^installed //p' || true)
    for name in "${wanted[@]}"; do
        grep -qxF "$name" <<< "$installed" || missing+=("$name")
    done
    [ "${#missing[@]}" -gt 0 ] || return 0
    [ -n "${RIDGEPOINT_NO_INSTALL:-}" ] && die "RIDGEPOINT_NO_INSTALL is set and these packages are missing: ${missing[*]}"

    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo > /dev/null || die "packages are missing and there is no sudo. As root, run:
  apt-get install --no-install-recommends ${missing[*]}"
        as_root=(sudo)
    fi
    say "Installing ${#missing[@]} packages: ${missing[*]}"
    local log
    log=$(mktemp) || die "no temporary file could be made"
    # An old package list may do (off line, a local mirror), so only the installation decides.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update > "$log" 2>&1 || true
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}" >> "$log" 2>&1 < /dev/null; then
        tail -n 30 "$log" >&2
        die "apt-get could not install the packages; the whole log is $log"
    fi
    rm -f "$log"
}

# Configures a preset unless that is done; a tree that was moved or copied here with its build folder starts anew.
configure() {
    local preset=$1 folder="$root/build/$1" home
    shift
    if [ -f "$folder/CMakeCache.txt" ]; then
        home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt")
        [ "$home" = "$root" ] || rm -rf "$folder"
    fi
    mkdir -p "$folder"
    if ! (cd "$root" && cmake --preset "$preset" "$@") > "$folder/configure.log" 2>&1; then
        tail -n 40 "$folder/configure.log" >&2
        die "CMake could not configure the preset '$preset'; the whole log is $folder/configure.log"
    fi
}

has_display() { [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; }
