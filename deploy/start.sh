# Sourced by the launchers, deploy/hxb of a source tree and bin/hxb of a package: checks, options of the JVM, and the start.
# Who sources it has set root, the folder in which deploy/ and .mvn/jvm.config are.

# The first files that the JVM opens would take the numbers of closed standard streams: input is empty, writing fails.
if [ -e /proc/self/fd ]; then
  [ -e /proc/self/fd/0 ] || exec </dev/null
  [ -e /proc/self/fd/1 ] || exec >/dev/full
  [ -e /proc/self/fd/2 ] || exec 2>/dev/null
fi
arguments=" $* "

# Ends with status 1; with --json, prints an object.
fail() { # what is wrong and what to do
  local text=${1//\\/\\\\}
  echo "hxb: $1" >&2
  [[ "$arguments" != *' --json '* ]] || printf '{"ok":false,"error":"%s"}\n' "${text//\"/\\\"}"
  exit 1
}

[ -e /proc/self/fd ] || fail "/proc is not mounted here, as in a chroot, and neither Java nor HXB runs without it:\
 as root, mount -t proc proc /proc"

# A user who may write where the program lies may have others run any code.
check_folders() { # folders
  local open
  open=$(find -H "$@" -maxdepth 0 -perm -o+w 2>/dev/null || true)
  [ -z "$open" ] || fail "others may write in ${open%%$'\n'*} and could exchange the program: run chmod o-w ${open%%$'\n'*}"
}

# In the locale C the JVM opens no file with other letters than those of ASCII in its path, its own included.
set_locale() { # arguments of hxb
  is_ascii "$root$PWD$*${HXB_CONFIG:-}${HXB_RUN:-}${HXB_SOCKET:-}" || [ "$(locale charmap 2>/dev/null || true)" = UTF-8 ] ||
    export LC_ALL=C.UTF-8
}

is_ascii() { # text
  local LC_ALL=C
  [[ $1 != *[$'\x80'-$'\xff']* ]]
}

# What the JVM says of options that it does not take would be the only words. Options that start something, write
# files or have an argument of their own are not tried.
check_options() { # java
  local word said tried=()
  for word in $HXB_JAVA_OPTIONS; do
    case $word in
      --* | -D* | -agent* | -cp | -classpath | -p | -javaagent* | -verbose* | -Xlog* | -Xrun* | -Xdebug) ;;
      -XX:AOT* | -XX:On* | -XX:*File* | -XX:*Path* | -XX:*Recording*) ;;
      -*) tried+=("$word") ;;
    esac
  done
  [ "${#tried[@]}" = 0 ] || said=$("$1" "@$root/.mvn/jvm.config" "${flags[@]}" "${tried[@]}" -version 2>&1) ||
    fail "Java does not start with HXB_JAVA_OPTIONS='$HXB_JAVA_OPTIONS': $(reason "$said"); correct it, or unset it"
}

# What the JVM says why, without what it always adds.
reason() { # its output
  local line
  while read -r line; do
    case $line in
      '' | 'Error: Could not create the Java'* | 'Error: A fatal exception'* | 'Error occurred during init'*) ;;
      *)
        line=${line#Error: }
        printf '%s' "${line%.}"
        return 0
        ;;
    esac
  done <<<"$1"
}

# Options of the JVM for a command.
set_flags() { # ahead-of-time cache, arguments of hxb
  local aot=$1
  flags=()
  case "${2:-}" in
    # A small young generation whose pages are there: a node allocates next to nothing, and collections stop its loops.
    node) flags+=("@$root/deploy/node.config") ;;
    # Short commands: the second compiler would only cost time.
    doctor | events | report | stat | top | --help | --version | help | '') flags+=(-XX:TieredStopAtLevel=1 -Xmx128m) ;;
    lab)
      case "${3:-}" in
        up | down | status | exec) flags+=(-XX:TieredStopAtLevel=1 -Xmx128m) ;;
      esac
      ;;
  esac
  if [ "$EUID" = 0 ]; then
    # Loops go before everything else (nice -10); the compilers, on whom they depend at first, before them, and so does
    # the thread that stops them for a collection.
    flags+=("@$root/deploy/root.config")
  fi
  # What deploy/aot has made for this build; a cache that does not fit is left aside without a word.
  if [ -s "$aot" ] && [[ "${HXB_JAVA_OPTIONS:-}" != *-Xshare* ]]; then
    flags+=("-XX:AOTCache=$aot" '-Xlog:aot*=off' "-Dhxb.aot=$aot")
  fi
}

# The class path.
classes() { # folder of the program, command
  local module classes=
  # What a node uses; a cache that was trained with it fits longer class paths, too.
  for module in pm-api fabric node manager tool; do
    classes+=$1/$module.jar:
  done
  classes+="$1/lib/*"
  if [ "$2" != node ] && [[ "${HXB_JAVA_OPTIONS:-}" != *-XX:AOTCacheOutput=* ]]; then
    classes+=":$1/tool-lib/*"
  fi
  printf '%s' "$classes"
}

# Becomes the program.
start() { # java, folder of the program, ahead-of-time cache, how users call this launcher, arguments of hxb
  local java=$1 program=$2 aot=$3 launcher=$4
  shift 4
  set_flags "$aot" "$@"
  [ -z "${HXB_JAVA_OPTIONS:-}" ] || check_options "$java"
  # shellcheck disable=SC2086
  exec "$java" "@$root/.mvn/jvm.config" "${flags[@]}" ${HXB_JAVA_OPTIONS:-} \
    "-Dhxb.root=$root" "-Dhxb.launcher=$launcher" "-Dhxb.program=$program" "-Djava.library.path=$program/native" \
    -cp "$(classes "$program" "${1:-}")" io.hxb.tool.Hxb "$@"
}
