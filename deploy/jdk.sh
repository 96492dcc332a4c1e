# Sourced by the scripts of this project: prints the home of a JDK 25, or says how to get one.
find_jdk25() {
  local home
  for home in "${HXB_JAVA_HOME:-}" "${JAVA_HOME:-}" /usr/lib/jvm/*25* /opt/*jdk*25* "$HOME"/.sdkman/candidates/java/25*; do
    if [ -x "$home/bin/java" ] && grep -qs '^JAVA_VERSION="25' "$home/release"; then
      printf '%s\n' "$home"
      return 0
    fi
  done
  echo "hxb: no JDK 25 found: install one (Debian: temurin-25-jdk) or set HXB_JAVA_HOME to its folder" >&2
  return 1
}
