import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import { ownVersion } from "#/cluster/base/own-version.ts";
import {
  commandReference,
  helpFolder,
  launcherHelp,
  referenceFile,
} from "../../tools/command-help.ts";

const root = join(import.meta.dirname, "../..");
/** Root uses Debian's unprivileged uid 65534; any other user is unprivileged already. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const versionFile = "src/api/base/kubernetes-version.ts";

/** Prints the name of the program that Node is asked to run, and its first argument. */
const printProgram = `while [ "\${1#-}" != "$1" ]; do shift; done; echo "node ran \${1##*/} $2"`;
/** A "Node.js" that does only that. */
const printingNode = `#!/bin/sh\n${printProgram}\n`;
/** The line of npm's arguments for users, and for tests. */
const forUsers = "ci --omit=dev --loglevel=error\n";
const forTests = "ci --loglevel=error\n";

/** A checkout without packages, with the files that the launcher reads. */
class Checkout implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "launcher-"));

  constructor() {
    for (const name of ["k8ts", "package.json", "package-lock.json", ".npmrc", "bin", versionFile])
      cpSync(join(root, name), join(this.path, name), { recursive: true });
    chmodSync(this.path, 0o755);
  }

  /** Adds an npm that installs a "Node" which prints its arguments, or one that fails. */
  addNpm(script = this.#install): void {
    this.trust(printingNode);
    mkdirSync(join(this.path, "npm"));
    writeFileSync(join(this.path, "npm/npm"), `#!/bin/sh\n${script}`, { mode: 0o755 });
  }

  /** Makes the launcher accept a file as the official Node.js. */
  trust(node: string): void {
    const sum = createHash("sha256").update(node).digest("hex");
    const lines = ["x64", "arm64"].map((arch) => `${sum}  node-v1.2.3-linux-${arch}/bin/node\n`);
    writeFileSync(join(this.path, "bin/node.sha256"), lines.join(""));
  }

  /** Replaces the installed Node.js. */
  replaceNode(node: string): void {
    for (const arch of ["x64", "arm64"]) {
      const file = join(this.path, `node_modules/node-linux-${arch}/bin/node`);
      writeFileSync(file, node, { mode: 0o755 });
    }
  }

  readonly #install = `rm -rf node_modules
for arch in x64 arm64; do
  mkdir -p node_modules/node-linux-$arch/bin
  cat >node_modules/node-linux-$arch/bin/node <<'END'
${printingNode}END
  chmod +x node_modules/node-linux-$arch/bin/node
done
case $* in *--omit=dev*) ;; *) mkdir node_modules/.bin; : >node_modules/.bin/tsc ;; esac
: >node_modules/loose
chmod 666 node_modules/loose
[ "$(id -u)" != 0 ] || chown 501:501 node_modules/loose
echo "$*" >>../npm-runs
`;

  run(args: readonly string[], user: { uid?: number; gid?: number } = {}) {
    const env = { PATH: `${join(this.path, "npm")}:/usr/bin:/bin`, LC_ALL: "C" };
    const program = join(this.path, "k8ts");
    const { status, stdout, stderr } = spawnSync(program, args, {
      env,
      encoding: "utf8",
      ...user,
    });
    return { status, stdout, stderr: stderr.replaceAll(this.path, "/checkout") };
  }

  [Symbol.dispose](): void {
    chmodSync(this.path, 0o755);
    rmSync(this.path, { recursive: true });
  }
}

const texts = new Map(
  readdirSync(helpFolder).map((file) => [
    file.replace(/\.txt$/, ""),
    readFileSync(join(helpFolder, file), "utf8"),
  ]),
);

test("bin/help equals the program's output", async () => {
  const expected = await launcherHelp();
  assert.deepEqual([...texts.keys()].sort(), [...expected.keys()].sort());
  for (const [name, text] of expected)
    assert.equal(texts.get(name), text, `${name}: run node tools/write-help.ts`);
  assert.equal(
    readFileSync(referenceFile, "utf8"),
    commandReference(expected),
    "docs/commands.md: run node tools/write-help.ts",
  );
});

test("every page of bin/help fits a terminal of 80 columns", () => {
  const long = [...texts].flatMap(([name, text]) =>
    text.split("\n").flatMap((line) => (line.length > 80 ? [`${name}: ${line}`] : [])),
  );
  assert.deepEqual(long, []);
});

test("help needs no packages: an unprivileged user gets it from a read-only checkout", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  chmodSync(checkout.path, 0o555);
  const prints = (words: readonly string[], name: string): void => {
    const expected = { status: 0, stdout: texts.get(name), stderr: "" };
    assert.deepEqual(checkout.run(words, unprivileged), expected);
  };
  for (const words of [[], ["help"], ["--help"], ["-h"]]) prints(words, "k8ts");
  for (const name of texts.keys()) {
    if (name === "k8ts") continue;
    prints([name, "--name=a", "-h"], name);
    prints(["help", name], name);
  }
  assert.equal(checkout.run(["__complete", "u"], unprivileged).status, 1);
  assert.equal(existsSync(join(checkout.path, "node_modules")), false);
});

test("the version needs no packages, and equals the program's own", () => {
  using checkout = new Checkout();
  const { status, stdout, stderr } = checkout.run(["version"], unprivileged);
  assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
  assert.equal(stdout, `k8ts ${ownVersion(checkout.path)} (Kubernetes ${kubernetesVersion})\n`);
  assert.doesNotMatch(stdout, /\+/);
  const program = [join(root, "bin/k8ts.ts"), "--version"];
  const own = spawnSync(process.execPath, program, { encoding: "utf8" }).stdout;
  assert.equal(spawnSync(join(root, "k8ts"), ["--version"], { encoding: "utf8" }).stdout, own);
});

test("the version names the commit of a release that has no tag", () => {
  using checkout = new Checkout();
  const file = join(checkout.path, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...manifest, gitHead: hash }, undefined, 2));
  assert.equal(ownVersion(checkout.path), `${manifest.version}+01234567`);
  const stdout = `k8ts ${ownVersion(checkout.path)} (Kubernetes ${kubernetesVersion})\n`;
  assert.deepEqual(checkout.run(["version"], unprivileged), { status: 0, stdout, stderr: "" });
});

test("a release has no tests, and says so", () => {
  using checkout = new Checkout();
  const file = join(checkout.path, "package.json");
  const { devDependencies: _, ...manifest } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify(manifest));
  const { status, stderr } = checkout.run(["test"]);
  assert.equal(status, 1);
  assert.match(stderr, /^k8ts: this is a release, without tests/);
});

const hash = "0123456789abcdef0123456789abcdef01234567";
const branch = "refs/heads/main";
/** The files of git that contain the commit of a checkout, in each form that git writes. */
const checkouts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a branch": { ".git/HEAD": `ref: ${branch}\n`, [`.git/${branch}`]: `${hash}\n` },
  "a commit": { ".git/HEAD": `${hash}\n` },
  "a packed branch": {
    ".git/HEAD": `ref: ${branch}\n`,
    ".git/packed-refs": `# pack-refs with: peeled\n${"f".repeat(40)} refs/heads/main2\n${hash} ${branch}\n`,
  },
  "a second work tree": {
    ".git": "gitdir: other/.git/worktrees/two\n",
    "other/.git/worktrees/two/HEAD": `ref: ${branch}\n`,
    "other/.git/worktrees/two/commondir": "../..\n",
    [`other/.git/${branch}`]: `${hash}\n`,
  },
};

for (const [name, files] of Object.entries(checkouts)) {
  test(`the version names the commit of ${name}, without git, in a read-only checkout`, () => {
    using checkout = new Checkout();
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(checkout.path, file, ".."), { recursive: true });
      writeFileSync(join(checkout.path, file), text);
    }
    chmodSync(checkout.path, 0o555);
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const expected = `${version}+01234567`;
    assert.equal(ownVersion(checkout.path), expected);
    const stdout = `k8ts ${expected} (Kubernetes ${kubernetesVersion})\n`;
    for (const word of ["--version", "version"])
      assert.deepEqual(checkout.run([word], unprivileged), { status: 0, stdout, stderr: "" });
  });
}

test("a repository without a commit has a version", () => {
  using checkout = new Checkout();
  mkdirSync(join(checkout.path, ".git"));
  writeFileSync(join(checkout.path, ".git/HEAD"), `ref: ${branch}\n`);
  const stdout = `k8ts ${ownVersion(checkout.path)} (Kubernetes ${kubernetesVersion})\n`;
  assert.deepEqual(checkout.run(["version"]), { status: 0, stdout, stderr: "" });
  assert.doesNotMatch(stdout, /\+/);
});

test("a program gets the name by which the launcher was called", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  checkout.run(["status"]);
  const node = '#!/bin/sh\necho "$K8TS_COMMAND"\n';
  checkout.replaceNode(node);
  checkout.trust(node);
  symlinkSync(join(checkout.path, "k8ts"), join(checkout.path, "npm/k8ts"));
  const called = (line: string) =>
    spawnSync("sh", ["-c", line], {
      cwd: checkout.path,
      env: { PATH: `${join(checkout.path, "npm")}:/usr/bin:/bin` },
      encoding: "utf8",
    }).stdout;
  assert.equal(called("./k8ts status"), "./k8ts\n");
  assert.equal(called("k8ts status"), `${checkout.path}/npm/k8ts\n`);
  assert.equal(called('"$PWD/k8ts" status'), `${checkout.path}/k8ts\n`);
});

test("help that needs the packages prints so, and installs nothing", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  const given = checkout.run(["kube-apiserver", "--help"]);
  assert.equal(given.status, 1);
  assert.match(given.stderr, /^k8ts: this help needs the Node packages/);
  assert.equal(existsSync(join(checkout.path, "node_modules")), false);
});

test("the first start prints what it installs, its size and folder; the second prints nothing", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  assert.deepEqual(checkout.run(["status"]), {
    status: 0,
    stdout: "node ran k8ts.ts status\n",
    stderr: `k8ts: installing Node.js and the other packages of package-lock.json, about 240 MB, once,
k8ts: into /checkout/node_modules
k8ts: the packages are installed
`,
  });
  const again = { status: 0, stdout: "node ran k8ts.ts status\n", stderr: "" };
  assert.deepEqual(checkout.run(["status"]), again);
  assert.equal(readFileSync(join(checkout.path, "npm-runs"), "utf8"), forUsers);
});

test("users get no packages of development; tests install them, and later updates keep them", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  const npmRuns = () => readFileSync(join(checkout.path, "npm-runs"), "utf8");
  checkout.run(["status"]);
  assert.equal(npmRuns(), forUsers);
  const { stdout, stderr } = checkout.run(["test"]);
  assert.equal(stdout, "node ran k8ts.ts test\n");
  assert.match(stderr, /about 380 MB/);
  assert.equal(npmRuns(), forUsers + forTests);
  checkout.run(["test"]);
  checkout.run(["status"]);
  assert.equal(npmRuns(), forUsers + forTests);
  utimesSync(join(checkout.path, "node_modules/.k8ts-installed"), 1, 1);
  checkout.run(["status"]);
  assert.equal(npmRuns(), forUsers + forTests + forTests);
});

test("the first command of a fresh clone may be the tests", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  checkout.run(["test"]);
  assert.equal(readFileSync(join(checkout.path, "npm-runs"), "utf8"), forTests);
});

test("packages of an earlier version are used until new ones are complete", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  checkout.run(["status"]);
  const npm = join(checkout.path, "npm/npm");
  const works = readFileSync(npm, "utf8");
  utimesSync(join(checkout.path, "node_modules/.k8ts-installed"), 1, 1);
  writeFileSync(npm, "#!/bin/sh\nmkdir node_modules; echo no such host >&2; exit 1\n");
  const { stdout, stderr } = checkout.run(["status"]);
  assert.equal(stdout, "node ran k8ts.ts status\n");
  assert.match(stderr, /\nno such host\nk8ts: going on with the packages of an earlier version\n$/);
  writeFileSync(npm, works);
  assert.match(checkout.run(["status"]).stderr, /\nk8ts: the packages are installed\n$/);
  assert.equal(existsSync(join(checkout.path, ".install")), false);
});

const foreignNode = `${printingNode}# Not the official one.\n`;

test("another Node.js than the official one is not installed", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  checkout.trust(foreignNode);
  for (const words of [["status"], ["kubectl"], ["status"]]) {
    const { status, stdout, stderr } = checkout.run(words);
    assert.deepEqual({ status, stdout }, { status: 1, stdout: "" });
    assert.match(
      stderr,
      /\/bin\/node is not the Node\.js of bin\/node\.sha256, and is not started/,
    );
    assert.doesNotMatch(stderr, /registries/);
  }
  checkout.trust(printingNode);
  assert.equal(checkout.run(["status"]).stdout, "node ran k8ts.ts status\n");
});

test("a Node.js that was replaced later is not started, whatever its times are", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  checkout.run(["status"]);
  const files = ["x64", "arm64"].map((arch) =>
    join(checkout.path, `node_modules/node-linux-${arch}/bin/node`),
  );
  const times = files.map((file) => statSync(file).mtime);
  checkout.replaceNode(foreignNode);
  for (const [at, file] of files.entries()) utimesSync(file, times[at] ?? 0, times[at] ?? 0);
  const { status, stdout, stderr } = checkout.run(["status"]);
  assert.deepEqual({ status, stdout }, { status: 1, stdout: "" });
  assert.match(stderr, /is not started/);
  checkout.replaceNode(printingNode);
  assert.equal(checkout.run(["status"]).stdout, "node ran k8ts.ts status\n");
});

test("the packages are writable by the owner of the checkout only, whatever the umask and npm are", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  const line = `umask 000; "${checkout.path}/k8ts" status; umask`;
  const env = { PATH: `${join(checkout.path, "npm")}:/usr/bin:/bin` };
  const { stdout } = spawnSync("sh", ["-c", line], { env, encoding: "utf8" });
  assert.equal(stdout, "node ran k8ts.ts status\n0000\n");
  assert.ok(existsSync(join(checkout.path, "node_modules/loose")));
  const writable = ["(", "-perm", "/022", "-o", "-uid", "501", ")", "!", "-name", "npm-runs"];
  const found = spawnSync("find", [checkout.path, ...writable], { encoding: "utf8" });
  assert.deepEqual({ found: found.stdout, error: found.stderr }, { found: "", error: "" });
});

test("bin/node.sha256 has the release that package.json names, for both processors", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const named = readFileSync(join(root, "bin/node.sha256"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => /^[0-9a-f]{64} {2}(.+)$/.exec(line)?.[1]);
  const expected = ["x64", "arm64"].map(
    (arch) => `node-v${manifest.optionalDependencies[`node-linux-${arch}`]}-linux-${arch}`,
  );
  assert.deepEqual(named, [
    ...expected.map((release) => `${release}.tar.xz`),
    ...expected.map((release) => `${release}/bin/node`),
  ]);
});

test("a newer lock file installs again, but not for a user without write permission", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  checkout.run(["status"]);
  const stamp = join(checkout.path, "node_modules/.k8ts-installed");
  utimesSync(stamp, 1, 1);
  chmodSync(checkout.path, 0o555);
  const used = { status: 0, stdout: "node ran k8ts.ts status\n", stderr: "" };
  assert.deepEqual(checkout.run(["status"], unprivileged), used);
  chmodSync(checkout.path, 0o755);
  checkout.run(["status"]);
  assert.equal(readFileSync(join(checkout.path, "npm-runs"), "utf8"), forUsers + forUsers);
});

test("a user without write permission to the checkout gets an error", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  chmodSync(checkout.path, 0o555);
  const { status, stderr } = checkout.run(["status"], unprivileged);
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^k8ts: the Node packages are not installed, and \w+ may not write to \/checkout;\n/,
  );
});

test("a library that Node needs and the machine lacks is installed by root, or named", () => {
  using checkout = new Checkout();
  checkout.addNpm();
  const lacking = `#!/bin/sh
if [ -e "${checkout.path}/libatomic" ]; then ${printProgram}; exit; fi
echo "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file" >&2
exit 127
`;
  const script = `for arch in x64 arm64; do
  mkdir -p node_modules/node-linux-$arch/bin
  cp ../lacking node_modules/node-linux-$arch/bin/node
done
`;
  writeFileSync(join(checkout.path, "lacking"), lacking, { mode: 0o755 });
  checkout.trust(lacking);
  writeFileSync(join(checkout.path, "npm/npm"), `#!/bin/sh\n${script}`, { mode: 0o755 });
  const apt = join(checkout.path, "npm/apt-get");
  writeFileSync(apt, "#!/bin/sh\necho no network >&2; exit 100\n", { mode: 0o755 });
  const failed = checkout.run(["status"]);
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /libatomic\.so\.1: cannot open shared object file\n$/);
  if (process.getuid?.() !== 0) return;
  const works = `#!/bin/sh\n[ "$1" = update ] || : >"${checkout.path}/libatomic"\n`;
  writeFileSync(apt, works, { mode: 0o755 });
  const { status, stdout, stderr } = checkout.run(["status"]);
  assert.deepEqual({ status, stdout }, { status: 0, stdout: "node ran k8ts.ts status\n" });
  assert.match(stderr, /\nk8ts: installing libatomic1, which Node.js needs, with apt-get\n/);
});

test("the output of a failed npm is shown", () => {
  using checkout = new Checkout();
  checkout.addNpm("echo no such host >&2; exit 1");
  const { status, stderr } = checkout.run(["status"]);
  assert.equal(status, 1);
  assert.match(stderr, /could not be installed.*\nno such host\n$/);
});
