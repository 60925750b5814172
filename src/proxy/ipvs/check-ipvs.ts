import { ProgramError, type RunProgram } from "#/std/process/run-program.ts";
import { parseServers } from "./installed-servers.ts";

/** The least version of ipset. */
const minIpsetMajor = 6;

/** A virtual server of no use: an address for documentation. */
const probe = ["-t", "198.51.100.0:20000"] as const;

/**
 * Checks that virtual servers can be made with a scheduler; throws if not. Upstream:
 * pkg/proxy/ipvs/supported.go.
 */
export async function checkIpvs(run: RunProgram, scheduler: string): Promise<void> {
  await checkIpset(run);
  const listed = await listServers(run);
  for (const server of parseServers(listed, "IPv4").values()) {
    if (server.scheduler === scheduler) return;
  }
  try {
    await run("ipvsadm", ["-A", ...probe, "-s", scheduler]);
  } catch (error) {
    // Left by a proxy that was killed.
    if (!isProgramError(error, /exists/)) throw new Error(schedulerProblem(scheduler, error));
  }
  await run("ipvsadm", ["-D", ...probe]);
}

async function listServers(run: RunProgram): Promise<string> {
  try {
    return await run("ipvsadm", ["-L", "-n"]);
  } catch (error) {
    if (isMissing(error)) throw new Error("the program ipvsadm is not installed");
    throw new Error("ipvs not supported");
  }
}

async function checkIpset(run: RunProgram): Promise<void> {
  const text = await run("ipset", ["--version"]).catch((error: unknown) => {
    const reason = isMissing(error)
      ? 'exec: "ipset": executable file not found in $PATH'
      : String((error as Error).message);
    throw new Error(`error getting ipset version, error: ${reason}`);
  });
  const [version = "", major = "0"] = /v(\d+)\.\d+/.exec(text) ?? [];
  if (Number(major) >= minIpsetMajor) return;
  throw new Error(
    `ipset version: ${version.slice(1)} is less than min required version: ${minIpsetMajor}.0`,
  );
}

function schedulerProblem(scheduler: string, error: unknown): string {
  const reason = error instanceof ProgramError ? error.stderr.trim() : String(error);
  return `the kernel has no scheduler "${scheduler}": ${reason}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof ProgramError && error.exitCode === undefined;
}

function isProgramError(error: unknown, pattern: RegExp): boolean {
  return error instanceof ProgramError && pattern.test(error.stderr);
}
