# Sourced by examples/quickstart.sh, tests/run.sh and .ci/run: what a build needs, and how it gets there. POSIX shell.

# Debian's names. The tests need nothing more; some use tshark, R or poppler-utils where they are installed.
BUILD_PACKAGES="gcc libc6-dev cmake ninja-build pkg-config python3 libglib2.0-dev libgsl-dev libyaml-dev libjansson-dev
    libpcap-dev zlib1g-dev liblz4-dev libzstd-dev libssl-dev libcairo2-dev libpango1.0-dev fonts-dejavu-core"
BUILD_TOOLS="cc cmake ninja pkg-config python3"
BUILD_MODULES="glib-2.0 gio-2.0 gsl yaml-0.1 jansson libpcap zlib liblz4 libzstd libcrypto cairo-pdf pangocairo"

say()
{
    printf '%s\n' "$*" >&2
}

# quietly LOG COMMAND...: the command's output is shown only when it fails.
quietly()
{
    quietly_log=$1
    shift
    mkdir -p "$(dirname "$quietly_log")"
    "$@" >"$quietly_log" 2>&1 </dev/null || {
        quietly_status=$?
        sed '/^\[[0-9]*\/[0-9]*\] /d' "$quietly_log" >&2 # without ninja's progress
        say "failed: $* (the output above is also in $quietly_log)"
        return "$quietly_status"
    }
}

# Prints those of the named packages that dpkg doesn't have.
missing_packages()
{
    for package in "$@"; do
        case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
        installed) ;;
        *) printf '%s ' "$package" ;;
        esac
    done
}

# Prints what a build needs and this system lacks, by the names that pkg-config and the shell know.
missing_parts()
{
    for tool in $BUILD_TOOLS; do
        command -v "$tool" >/dev/null 2>&1 || printf '%s ' "$tool"
    done
    for module in $BUILD_MODULES; do
        pkg-config --exists "$module" 2>/dev/null || printf '%s ' "$module"
    done
}

# need_packages LOG PACKAGE...: installs what is missing where apt-get is (Debian and its kin). Elsewhere it looks for the
# parts of a build themselves, and says what to install.
need_packages()
{
    need_log=$1
    shift
    if command -v apt-get >/dev/null 2>&1 && command -v dpkg-query >/dev/null 2>&1; then
        need_missing=$(missing_packages "$@")
        [ -n "$need_missing" ] || return 0
        need_root=
        if [ "$(id -u)" -ne 0 ]; then
            if ! command -v sudo >/dev/null 2>&1; then
                say "Packages are missing. As root, run: apt-get install --no-install-recommends $need_missing"
                return 1
            fi
            need_root=sudo
        fi
        say "Installing: $need_missing"
        quietly "$need_log" $need_root apt-get update &&
            quietly "$need_log" $need_root env DEBIAN_FRONTEND=noninteractive \
                apt-get install -y --no-install-recommends $need_missing
        return
    fi
    need_missing=$(missing_parts)
    [ -z "$need_missing" ] || {
        say "This system has no apt-get, and a build lacks: $need_missing"
        say "Install a C17 compiler, CMake 3.22, Ninja, pkg-config, Python 3, and the development files of"
        say "GLib 2.66, GSL, libyaml, jansson, libpcap, zlib, LZ4, zstd, OpenSSL 3, cairo and Pango; then run this again."
        return 1
    }
}

# build PRESET TARGET: configures when needed, and builds. ROOT is the project's folder.
build()
{
    build_folder=$ROOT/build/$1
    if [ ! -f "$build_folder/build.ninja" ]; then
        (cd "$ROOT" && quietly "$build_folder/configure.log" cmake --preset "$1") || return
    fi
    quietly "$build_folder/build.log" cmake --build "$build_folder" --target "$2"
}
