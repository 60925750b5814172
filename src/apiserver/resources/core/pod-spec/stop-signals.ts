/**
 * Signals that may stop a container, in the order of messages.
 *
 * Upstream: pkg/apis/core/types.go.
 */
const named =
  "ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ";

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

export const linuxSignals: readonly string[] = [
  ...named.split(" "),
  "RTMAX",
  ...numbers(14).map((number) => `RTMAX-${number}`),
  "RTMIN",
  ...numbers(15).map((number) => `RTMIN+${number}`),
]
  .map((name) => `SIG${name}`)
  .sort();

export const windowsSignals: readonly string[] = ["SIGKILL", "SIGTERM"];
