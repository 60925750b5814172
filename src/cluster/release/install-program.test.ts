import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { tarEnd, tarHeader } from "#/std/archive/tar-writer.ts";
import { clusterPaths } from "../base/paths.ts";
import { installProgram, readDigest, removeOldPrograms } from "./install-program.ts";
import { packProgram } from "./pack-program.ts";
import { packageFiles, programFiles } from "./program-files.ts";
import { currentProgram, launcherOf, ownRoot, switchProgram } from "./versions.ts";

const node = `node_modules/node-linux-${process.arch}/bin/node`;

/** A folder with a small program in "program", and a place for a cluster in "cluster". */
class Place implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "install-"));
  readonly program = join(this.folder, "program");
  readonly paths = clusterPaths(join(this.folder, "cluster"));

  constructor() {
    const lock = {
      packages: {
        "": {},
        "node_modules/a": {},
        "node_modules/t": { dev: true },
        [dirname(dirname(node))]: {},
      },
    };
    this.write("k8ts", "#!/bin/sh\n", 0o755);
    this.write("package.json", '{"version": "1.2.3"}');
    this.write("package-lock.json", JSON.stringify(lock));
    this.write("src/api/base/kubernetes-version.ts", 'export const kubernetesVersion = "v1.37.1";');
    this.write("src/a.ts", "");
    this.write("src/a.test.ts", "");
    this.write(node, "node", 0o755);
    this.write("node_modules/a/index.js", "a");
    this.write("node_modules/t/index.js", "t");
  }

  write(path: string, content: string, mode = 0o644): void {
    const file = join(this.program, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode });
  }

  async pack(): Promise<string> {
    const files = [...programFiles(this.program), ...packageFiles(this.program, process.arch)];
    const file = join(this.folder, "k8ts.tar.gz");
    writeFileSync(
      file,
      await buffer(packProgram(files, { folder: "k8ts-1.2.3", modifiedMs: 1e12 })),
    );
    return file;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

test("installProgram() of a folder and of its tarball have the same result, without tests", async () => {
  using place = new Place();
  const first = await installProgram(place.paths, place.program);
  assert.equal(first.version, "1.2.3");
  assert.equal(first.kubernetesVersion, "v1.37.1");
  const all = readdirSync(first.folder, { recursive: true }).map(String);
  assert.ok(all.includes("src/a.ts") && all.includes("node_modules/a/index.js"));
  assert.ok(!all.includes("src/a.test.ts") && !all.includes("node_modules/t"));
  assert.equal(statSync(join(first.folder, node)).mode & 0o777, 0o755);
  assert.deepEqual(await installProgram(place.paths, await place.pack()), first);
  assert.deepEqual(readdirSync(dirname(first.folder)), ["1.2.3"]);
});

test("packProgram() of the same files has the same bytes", async () => {
  using place = new Place();
  const [first, second] = [readFileSync(await place.pack()), readFileSync(await place.pack())];
  assert.deepEqual(first, second);
});

test("installProgram() keeps two programs of one version apart", async () => {
  using place = new Place();
  const first = await installProgram(place.paths, place.program);
  place.write("src/a.ts", "changed");
  const second = await installProgram(place.paths, place.program);
  assert.match(basename(second.folder), /^1\.2\.3-[0-9a-f]{8}$/);
  assert.notEqual(readDigest(first.folder), readDigest(second.folder));
  assert.deepEqual(await installProgram(place.paths, place.program), second);
});

test("installProgram() refuses what is no program, and leaves nothing", async () => {
  using place = new Place();
  const refuses = async (source: string, message: RegExp): Promise<void> => {
    await assert.rejects(installProgram(place.paths, source), message);
    const versions = join(place.paths.folder, "versions");
    assert.deepEqual(existsSync(versions) ? readdirSync(versions) : [], []);
  };
  const file = join(place.folder, "bad.tar.gz");
  const archive = (name: string): Buffer =>
    gzipSync(Buffer.concat([tarHeader({ name, kind: "file", mode: 0o644 }), tarEnd]));
  await refuses(join(place.folder, "missing"), /there is no /);
  await refuses(place.folder, /has no k8ts/);
  writeFileSync(file, "text");
  await refuses(file, /no whole release of k8ts: incorrect header check/);
  writeFileSync(file, archive("k8ts/../../etc/x"));
  await refuses(file, /no release of k8ts: it has k8ts\/\.\.\/\.\.\/etc\/x/);
  const whole = readFileSync(await place.pack());
  writeFileSync(file, whole.subarray(0, whole.length - 100));
  await refuses(file, /no whole release of k8ts/);
  writeFileSync(file, whole);
  writeFileSync(join(place.folder, "SHA256SUMS"), `${"0".repeat(64)}  bad.tar.gz\n`);
  await refuses(file, /is not the file that .*SHA256SUMS names/);
  const sum = createHash("sha256").update(whole).digest("hex");
  writeFileSync(join(place.folder, "SHA256SUMS"), `${sum}  bad.tar.gz\n`);
  assert.equal((await installProgram(place.paths, file)).version, "1.2.3");
});

test("switchProgram() changes what launcherOf() names; a cluster without programs has this one", async () => {
  using place = new Place();
  const { paths } = place;
  assert.equal(launcherOf(paths), join(ownRoot, "k8ts"));
  const { folder } = await installProgram(paths, place.program);
  await switchProgram(paths, folder);
  assert.equal(readlinkSync(join(paths.folder, "current")), "versions/1.2.3");
  assert.equal(launcherOf(paths), join(paths.folder, "current/k8ts"));
  assert.equal(currentProgram(paths), folder);
  await switchProgram(paths, undefined);
  assert.equal(launcherOf(paths), join(ownRoot, "k8ts"));
});

test("removeOldPrograms() keeps those in use and the last one before", async () => {
  using place = new Place();
  const folders: string[] = [];
  for (const version of ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]) {
    place.write("package.json", JSON.stringify({ version }));
    folders.push((await installProgram(place.paths, place.program)).folder);
  }
  mkdirSync(join(place.paths.folder, "versions/.new"));
  const gone = await removeOldPrograms(place.paths, [folders[3] ?? "", folders[2] ?? ""]);
  assert.deepEqual(gone.map((folder) => basename(folder)).sort(), [".new", "1.0.0"]);
});

test("installProgram() of a checkout names its commit, and is the same program again", async () => {
  using place = new Place();
  const commit = "0123456789".repeat(4);
  place.write(".git/HEAD", `${commit}\n`);
  const first = await installProgram(place.paths, place.program);
  assert.equal(first.version, "1.2.3+01234567");
  assert.equal(basename(first.folder), first.version);
  assert.deepEqual(await installProgram(place.paths, place.program), first);
});
