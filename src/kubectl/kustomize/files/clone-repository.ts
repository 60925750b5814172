/** Upstream: sigs.k8s.io/kustomize/api/internal/git/{cloner,gitrunner}.go. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { RepoUrl } from "./repo-url.ts";

/** Clones a repository into a new folder with the git program; the caller removes the folder. */
export function cloneRepository(url: RepoUrl, onFolder: (folder: string) => void): string {
  const git = findGit();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kustomize-")));
  onFolder(folder);
  const run = (...args: readonly string[]): void => runGit(git, args, folder, url.timeoutMs);
  run("init");
  run("remote", "add", "origin", url.repository);
  run("fetch", "--depth=1", url.repository, url.ref || "HEAD");
  run("checkout", "FETCH_HEAD");
  if (url.hasSubmodules) run("submodule", "update", "--init", "--recursive");
  return folder;
}

function findGit(): string {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const program = join(folder, "git");
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      // Continue with the next folder of PATH.
    }
  }
  throw new KustomizeError(
    `no 'git' program on path: exec: "git": executable file not found in $PATH`,
  );
}

function runGit(git: string, args: readonly string[], cwd: string, timeout: number): void {
  const command = [git, ...args].join(" ");
  const { status, stdout, stderr, error } = spawnSync(git, args, {
    cwd,
    timeout,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ETIMEDOUT") {
    throw new KustomizeError(`hit ${timeout / 1000}s timeout running '${command}'`);
  }
  if (error) throw new KustomizeError(`failed to run '${command}': : ${error.message}`);
  if (status === 0) return;
  throw new KustomizeError(`failed to run '${command}': ${stdout}${stderr}: exit status ${status}`);
}
