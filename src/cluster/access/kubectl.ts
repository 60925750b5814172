import { runKubectl } from "#/kubectl/run.ts";
import { systemClock } from "#/std/time/clock.ts";
import { accessFile, type ClusterPaths } from "../base/paths.ts";

/** The result of a kubectl command line. */
interface KubectlAnswer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface KubectlOptions {
  /** Its standard input. */
  readonly input?: string;
  readonly signal?: AbortSignal;
  /** Called with each chunk of its output. */
  readonly onOutput?: (text: string) => void;
}

/** Runs kubectl in this process, as the cluster's administrator unless the arguments name another kubeconfig. */
export function kubectl(
  paths: ClusterPaths,
  args: readonly string[],
  options?: KubectlOptions,
): Promise<KubectlAnswer> {
  const named = args.some((arg) => arg.startsWith("--kubeconfig"));
  return userKubectl(
    named ? args : [`--kubeconfig=${accessFile(paths, "admin")}`, ...args],
    options,
  );
}

/** Runs kubectl in this process, with the user's own kubeconfig. */
export async function userKubectl(
  args: readonly string[],
  { input = "", signal = new AbortController().signal, onOutput }: KubectlOptions = {},
): Promise<KubectlAnswer> {
  const said = { out: "", err: "" };
  const output = (name: "out" | "err") => ({
    write: (chunk: string | Uint8Array) => {
      const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      said[name] += text;
      if (name === "out") onOutput?.(text);
    },
    isTerminal: false,
    columns: 0,
  });
  const code = await runKubectl(args, {
    out: output("out"),
    err: output("err"),
    stdin: Object.assign(bytesOf(input), { isTerminal: false }),
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock,
    signal,
  });
  return { code, ...said };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  if (text !== "") yield Buffer.from(text);
}

/** As kubectl(), but throws if it fails. */
export async function mustKubectl(
  paths: ClusterPaths,
  args: readonly string[],
  options?: KubectlOptions,
): Promise<string> {
  const { code, out, err } = await kubectl(paths, args, options);
  if (code !== 0) throw new Error(err.trim() || `kubectl ${args.join(" ")} ended with ${code}`);
  return out;
}
