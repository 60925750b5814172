import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import type { Context } from "../../command/context.ts";
import { buildKustomization } from "../build-kustomization.ts";
import { cloneRepository } from "./clone-repository.ts";
import { parseRepoUrl } from "./repo-url.ts";

const hasGit = (process.env["PATH"] ?? "").split(":").some((folder) => existsSync(`${folder}/git`));
const options = { skip: hasGit ? false : "there is no git program" };

/** A repository with a kustomization in a folder; `outside` names a base that is not in it. */
async function makeRepository(folder: string): Promise<void> {
  const git = (...args: readonly string[]): void => {
    const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    execFileSync("git", [...identity, ...args], { cwd: folder, stdio: "ignore" });
  };
  await mkdir(join(folder, "base"), { recursive: true });
  await mkdir(join(folder, "outside"), { recursive: true });
  const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fetched}\n";
  await writeFile(join(folder, "base/a.yaml"), object);
  await writeFile(join(folder, "base/kustomization.yaml"), "resources: [a.yaml]\n");
  await writeFile(join(folder, "outside/kustomization.yaml"), "resources: [../../..]\n");
  await mkdir(join(folder, "self"));
  await writeFile(
    join(folder, "self/kustomization.yaml"),
    `resources: ["file://${folder}/self"]\n`,
  );
  git("init");
  git("add", ".");
  git("commit", "-m", "one");
  git("tag", "v1");
}

async function build(resource: (repository: string) => string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "k8ts-clone-"));
  try {
    await makeRepository(join(folder, "repo.git"));
    const text = `resources: ["${resource(`file://${folder}/repo.git`)}"]\nbuildMetadata: [originAnnotations]\n`;
    await writeFile(join(folder, "kustomization.yaml"), text);
    const context = {
      path: (path: string) => resolve(folder, path),
      err: { write: () => undefined },
      clock: systemClock,
    } as unknown as Context;
    return (await buildKustomization(context, ".")).replaceAll(folder, "$DIR");
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("buildKustomization() fetches a base from a git repository", options, async () => {
  const built = await build((repository) => `${repository}/base?ref=v1`);
  assert.equal(
    built,
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    config.kubernetes.io/origin: |\n      path: base/a.yaml\n      repo: file://$DIR/repo.git\n      ref: v1\n  name: fetched\n",
  );
});

test("buildKustomization() keeps a fetched base within its repository", options, async () => {
  await assert.rejects(
    build((repository) => `${repository}/outside`),
    /security; bases in kustomizations found in cloned git repos must be within the repo/,
  );
});

test("buildKustomization() refuses a repository that includes itself", options, async () => {
  await assert.rejects(
    build((repository) => `${repository}/self`),
    /cycle detected: URI '(.*)' referenced by previous URI '\1'/,
  );
});

test("buildKustomization() reports git's error for a missing ref", options, async () => {
  await assert.rejects(
    build((repository) => `${repository}/base?ref=absent`),
    /git fetch --depth=1 file:\/\/.*repo\.git absent': fatal: [\s\S]*: exit status 128/,
  );
});

test("cloneRepository() reports its folder before git runs", options, () => {
  const folders: string[] = [];
  const url = parseRepoUrl("file:///nonexistent/repo.git");
  assert.ok(url);
  assert.throws(() => cloneRepository(url, (folder) => folders.push(folder)), /exit status 128/);
  assert.equal(folders.length, 1);
  assert.ok(folders.every((folder) => readdirSync(folder).includes(".git")));
  for (const folder of folders) execFileSync("rm", ["-r", folder]);
});
