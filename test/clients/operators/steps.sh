# Steps of a test: sourced by the scripts of this folder. Each step is printed with "ok" or "failed" and what its command printed.
steps_failed=0

# step NAME COMMAND...: runs the command once.
step() {
  name=$1
  shift
  if output=$("$@" 2>&1); then
    echo "ok      $name"
  else
    echo "failed  $name"
    echo "$output" | tail -n 20 | sed 's/^/          /'
    steps_failed=$((steps_failed + 1))
  fi
}

# eventually NAME SECONDS COMMAND...: runs the command until it succeeds.
eventually() {
  name=$1 deadline=$(($(date +%s) + $2))
  shift 2
  while ! output=$("$@" 2>&1); do
    if [ "$(date +%s)" -ge "$deadline" ]; then
      echo "failed  $name"
      echo "$output" | tail -n 20 | sed 's/^/          /'
      steps_failed=$((steps_failed + 1))
      return
    fi
    sleep 0.5
  done
  echo "ok      $name"
}

# refuses TEXT COMMAND...: succeeds if the command fails with that text.
refuses() {
  text=$1
  shift
  if refusal=$("$@" 2>&1); then
    echo "accepted: $refusal"
    return 1
  fi
  echo "$refusal"
  case $refusal in *"$text"*) return 0 ;; esac
  return 1
}

# field VALUE KIND NAME PATH: succeeds if the field of the object has that value.
field() {
  value=$(kubectl get "$2" "$3" -o "jsonpath=$4")
  echo "$2/$3 $4 is '$value', not '$1'"
  [ "$value" = "$1" ]
}
