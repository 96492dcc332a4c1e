# Sourced by the scripts of this project: prints the home of a JDK 25, or reports how to get one.

# The version of the Java in a folder, such as 25.0.3; empty when there is none.
java_version() { # home
  local version
  [ -x "$1/bin/java" ] || return 0
  version=$(sed -n 's/^JAVA_VERSION="\([^"]*\)".*/\1/p' "$1/release" 2>/dev/null || true)
  [ -n "$version" ] || version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p' || true)
  printf '%s\n' "$version"
}

is_java25() { # home
  case $(java_version "$1") in
    25 | 25[.+-]*) return 0 ;;
    *) return 1 ;;
  esac
}

# A Java without a compiler is only taken when there is no other: it runs what has been built.
find_jdk25() {
  local home version without='' named=${HXB_JAVA_HOME:-}
  if [ -n "$named" ]; then
    if is_java25 "$named"; then
      printf '%s\n' "$named"
      return 0
    fi
    version=$(java_version "$named")
    echo "hxb: HXB_JAVA_HOME is $named, which ${version:+is Java }${version:-has no bin/java}, and HXB needs a JDK 25:" \
      "set it to the folder of one, or unset it so that one is looked for" >&2
    return 1
  fi
  home=$(command -v java || true)
  [ -z "$home" ] || home=$(dirname "$(dirname "$(readlink -f "$home")")")
  for home in "${JAVA_HOME:-}" "$home" /usr/lib/jvm/*25* /opt/*jdk*25* "${HOME:-}"/.sdkman/candidates/java/25*; do
    if [ -n "$home" ] && is_java25 "$home"; then
      if [ -x "$home/bin/javac" ]; then
        printf '%s\n' "$home"
        return 0
      fi
      without=${without:-$home}
    fi
  done
  if [ -n "$without" ]; then
    printf '%s\n' "$without"
    return 0
  fi
  echo "hxb: no JDK 25 found in JAVA_HOME, the PATH, /usr/lib/jvm, /opt and ~/.sdkman" >&2
  how_to_get_jdk25 >&2
  return 1
}

how_to_get_jdk25() {
  local offered
  offered=$(apt-cache policy openjdk-25-jdk-headless 2>/dev/null | sed -n 's/^ *Candidate: *//p' || true)
  if [ -n "$offered" ] && [ "$offered" != '(none)' ]; then
    echo "Install it as root: apt-get install openjdk-25-jdk-headless"
  elif command -v apt-get >/dev/null; then
    cat <<'TEXT'
Debian 13 and Ubuntu 24.04 have it: apt-get update && apt-get install openjdk-25-jdk-headless
Debian 12 has not; Eclipse Temurin's packages, as root:
  apt-get install wget gpg
  wget -qO - https://packages.adoptium.net/artifactory/api/gpg/key/public | gpg --dearmor -o /usr/share/keyrings/adoptium.gpg
  echo "deb [signed-by=/usr/share/keyrings/adoptium.gpg] https://packages.adoptium.net/artifactory/deb bookworm main" \
    >/etc/apt/sources.list.d/adoptium.list
  apt-get update && apt-get install temurin-25-jdk
TEXT
  else
    echo "Install your distribution's (Fedora: dnf install java-25-openjdk-devel)"
  fi
  echo "Any other JDK 25, such as an archive of https://adoptium.net unpacked anywhere: set HXB_JAVA_HOME to its folder."
}
