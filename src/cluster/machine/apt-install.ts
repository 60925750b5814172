import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownRoot } from "../release/versions.ts";
import { bundledForInstall, bundledPackages } from "./bundled-packages.ts";
import { findProgram } from "./find-program.ts";
import { installAdvice } from "./other-distributions.ts";

/** Installs packages completely, even if this process ends in the meantime. */
export async function aptInstall(packages: readonly string[]): Promise<void> {
  if (!findProgram("apt-get")) {
    throw new Error(
      `these are missing, and there is no apt-get to install them: ${packages.join(", ")}\n  ${installAdvice(packages)}`,
    );
  }
  const bundled = bundledPackages(ownRoot);
  if (bundled) return await installBundled(bundled);
  const install = ["install", "-y", "--no-install-recommends", lockWait, ...packages];
  try {
    await runWhole("apt-get", install).catch(async () => {
      // An installation that was killed halfway must be completed first.
      await runWhole("dpkg", ["--configure", "-a"]);
      await runWhole("apt-get", ["update", lockWait]);
      await runWhole("apt-get", install);
    });
  } catch (error) {
    const said = (error as Error).message.trim().split("\n").slice(-5).join("\n");
    throw new Error(`apt-get could not install ${packages.join(" ")}:\n${said}`, { cause: error });
  }
}

/** Installs the packages that came with this program: no registry is asked. */
async function installBundled(files: readonly string[]): Promise<void> {
  const wanted = await bundledForInstall(ownRoot, files);
  if (wanted.length === 0) return;
  const options = ["--no-download", "--no-install-recommends", "--allow-change-held-packages"];
  await runWhole("dpkg", ["--configure", "-a"]);
  await runWhole("apt-get", ["install", "-y", ...options, lockWait, ...wanted]);
}

/** Timeout (seconds) of the wait for another apt-get, such as that of an interrupted start. */
const lockWait = "-oDPkg::Lock::Timeout=300";

/**
 * Runs a program that must not be interrupted: Ctrl-C does not reach it, and it continues if this process ends. Its output is
 * an unnamed file; on failure, that is the error's message.
 */
async function runWhole(command: string, args: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "k8ts-apt-"));
  await using output = await open(join(folder, "output"), "w+");
  await rm(folder, { recursive: true });
  const child = spawn(command, args, {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", output.fd, output.fd],
    detached: true,
  });
  const [code] = await once(child, "close");
  if (code === 0) return;
  const { size } = await output.stat();
  const { buffer } = await output.read(Buffer.alloc(size), 0, size, 0);
  throw new Error(buffer.toString());
}
