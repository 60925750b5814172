import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { pairs, put } from "./contract/under-test.contract.ts";
import { LmdbStorage } from "./lmdb/lmdb-storage.ts";
import { main } from "./run.ts";

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "k8ts-command-"));
});
after(() => rm(root, { recursive: true }));

/** Runs the command and collects its output. */
async function snapshot(
  ...args: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const stdout = { write: (text: string) => (out += text) };
  const stderr = { write: (text: string) => (err += text) };
  const code = await main(args, { stdout, stderr });
  return { code, out, err };
}

test("a store is saved, checked and restored", async () => {
  const [source, target, file] = [join(root, "source"), join(root, "target"), join(root, "file")];
  {
    await using storage = await LmdbStorage.open({ directory: source });
    for (let index = 0; index < 20; index++) await put(storage, `/registry/${index}`, `${index}`);
  }
  const saved = await snapshot("save", file, "--data-dir", source);
  assert.deepEqual([saved.code, saved.err], [0, ""]);
  assert.match(
    saved.out,
    /^revision {2}21\nkeys {6}20\nsize {6}\d+ bytes\nsha256 {4}[0-9a-f]{64}\n$/,
  );
  assert.deepEqual(await snapshot("status", file), saved);
  assert.deepEqual(await snapshot("restore", file, `--data-dir=${target}`), saved);
  const again = await snapshot("restore", file, "--data-dir", target);
  assert.deepEqual(
    [again.code, again.err],
    [1, `k8ts store: ${target} is not empty; move it away first\n`],
  );

  await using before = await LmdbStorage.open({ directory: source });
  await using restored = await LmdbStorage.open({ directory: target });
  const { entries } = await before.range("/");
  assert.deepEqual(pairs((await restored.range("/")).entries), pairs(entries));
  assert.deepEqual((await restored.range("/")).entries[3]?.modRevision, entries[3]?.modRevision);
  assert.equal(await put(restored, "/registry/new", "1"), 1_000_000_022);
});

test("a store is saved while a process writes to it", { timeout: 60_000 }, async () => {
  const [directory, file] = [join(root, "live"), join(root, "live-file")];
  const program = fileURLToPath(import.meta.resolve("./lmdb/crash-writer.program.ts"));
  const writer = spawn(process.execPath, [program, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(writer.stdout, "data");
  writer.stdout.resume();
  let keys = 0;
  for (let round = 0; round < 3 || keys < 100; round++) {
    const { code, err } = await snapshot("save", file, "--data-dir", directory);
    assert.deepEqual([code, err], [0, ""]);
    const { out } = await snapshot("status", file);
    keys = Number(/^keys +(\d+)$/m.exec(out)?.[1]);
  }
  writer.kill("SIGKILL");
  await once(writer, "exit");
  assert.equal((await snapshot("restore", file, "--data-dir", join(root, "copy"))).code, 0);
  await using copy = await LmdbStorage.open({ directory: join(root, "copy") });
  const { entries } = await copy.range("/crash/");
  assert.equal(entries.length, keys);
});

test("wrong command lines and wrong files have different exit codes", async () => {
  const file = join(root, "nonsense");
  await writeFile(file, "nonsense");
  const cases: readonly { args: readonly string[]; err: RegExp }[] = [
    { args: [], err: /^Copies of the store of an API server/ },
    { args: ["save"], err: /^Copies of the store of an API server/ },
    { args: ["frob", file], err: /^Copies of the store of an API server/ },
    { args: ["status", file], err: /^k8ts store: snapshot .*nonsense can't be used/ },
    { args: ["status", join(root, "none")], err: /^k8ts store: ENOENT/ },
    { args: ["save", file], err: /^k8ts store: give either --data-dir or --etcd-servers\n$/ },
    {
      args: ["save", file, "--data-dir", join(root, "none")],
      err: /^k8ts store: there is no store in .*none\n$/,
    },
    { args: ["save", file, "--frob"], err: /^k8ts store: unknown flag: --frob\n$/ },
  ];
  for (const { args, err } of cases) {
    const result = await snapshot(...args);
    assert.equal(result.code, 1, args.join(" "));
    assert.match(result.err, err);
  }
});
