/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/HelmChartInflationGenerator.go. */
import { spawnSync } from "node:child_process";
import { KustomizeError } from "../failure/kustomize-error.ts";

/** The helm program, and its working directory. */
export interface HelmProgram {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Limit of helm's output (bytes): manifests of the largest charts have a few MB. */
const maxOutput = 256 * 1024 * 1024;

/** The output of helm. Throws with its error output if it fails. */
export function runHelm(
  { command, cwd, env }: HelmProgram,
  args: readonly string[],
  configHome: string,
): string {
  const homes = {
    HELM_CONFIG_HOME: configHome,
    HELM_CACHE_HOME: `${configHome}/.cache`,
    HELM_DATA_HOME: `${configHome}/.data`,
  };
  // Without PATH nothing is searched; the system would search default folders.
  const program = command.includes("/") || env["PATH"] ? command : `/nonexistent/${command}`;
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: { ...env, ...homes },
    encoding: "utf8",
    maxBuffer: maxOutput,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (!error && status === 0) return stdout;
  const said = args.includes("--debug")
    ? ` Helm stack trace:\n${stderr ?? ""}\nHelm template:\n${stdout ?? ""}\n`
    : (stderr ?? "");
  const shownEnv = Object.entries(homes).map(([name, value]) => `${name}=${value}`);
  const why = error
    ? startFailure(command, error)
    : status === null
      ? `signal: ${signal}`
      : `exit status ${status}`;
  throw new KustomizeError(
    `${said && `${said}: `}unable to run: '${[command, ...args].join(" ")}' with env=[${shownEnv.join(" ")}] (is '${command}' installed?): ${why}`,
  );
}

const startFailures: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  ENOEXEC: "exec format error",
};

/** Go's message for a program that can't be started. */
function startFailure(command: string, error: NodeJS.ErrnoException): string {
  if (!command.includes("/")) return `exec: "${command}": executable file not found in $PATH`;
  return `fork/exec ${command}: ${startFailures[error.code ?? ""] ?? error.message}`;
}
