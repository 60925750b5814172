import { logCause } from "../../facts/crash.ts";

/** What runc prints in the place of a program that it could not execute after the container had started. */
export const logInterpreter = logCause({
  name: "interpreter-missing",
  texts: /^exec \S+: no such file or directory$/i,
  meaning:
    "its command, or the interpreter in the first line of the script (#!), is not in the image; a script with Windows line ends (CRLF) fails so as well",
  fix: [
    "# start it by an interpreter that is there, such as command: [sh, /script], and store it with LF",
  ],
});
