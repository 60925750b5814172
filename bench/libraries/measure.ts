/**
 * Compares our parsers with common libraries: `node bench/libraries/measure.ts [--folder DIR]`.
 * Installs the candidates with npm into a temporary folder, or uses those of a folder.
 */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { findAll } from "#/machinery/jsonpath/evaluate-jsonpath.ts";
import { parsePath } from "#/machinery/jsonpath/parse-jsonpath.ts";
import { parseCronSchedule } from "#/machinery/time/cron-schedule.ts";
import { nextCronTime } from "#/machinery/time/next-cron-time.ts";
import { encodeFrame, FrameDecoder, opcodes } from "#/std/websocket/frames.ts";
import { readCertificate } from "#/std/x509/certificate.ts";
import { selfSign } from "#/std/x509/issue-certificate.ts";
import { parseJwt, signJwt, verifyJwt } from "#/std/x509/jwt.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";
import { generateKey } from "#/std/x509/signing-key.ts";

// biome-ignore lint/suspicious/noExplicitAny: the libraries are not there when types are checked.
type Library = any;
type Work = () => unknown;

/** Each candidate: its import, and the same work by it and by ours. */
interface Comparison {
  readonly name: string;
  readonly load: string;
  readonly ourModule: string;
  readonly theirs: (library: Library) => Work;
  readonly ours: Work;
}

const candidates = [
  "@peculiar/x509",
  "reflect-metadata",
  "jose",
  "ws",
  "croner",
  "cron-parser",
  "jsonpath-plus",
];
/** CPU time of each side of a comparison (ms). */
const budgetMs = 300;

const pem = selfSign(
  {
    subject: { commonName: "system:node:a", organizations: ["system:nodes"] },
    names: { dns: ["kubernetes", "kubernetes.default"], ips: ["10.0.0.1", "fd00::1"] },
    usages: ["digital signature", "client auth"],
    notBefore: 1_700_000_000_000,
    notAfter: 2_000_000_000_000,
  },
  generateKey(),
);
const der = readPemBlocks(pem)[0]?.der ?? Buffer.alloc(0);
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const token = await signJwt(privateKey, "k", { iss: "a", aud: "b", exp: 4_000_000_000 });
const frames = Buffer.concat(
  Array.from({ length: 100 }, () =>
    encodeFrame(opcodes.binary, Buffer.alloc(512), { masked: true }),
  ),
);
const object = { items: Array.from({ length: 50 }, (_, n) => ({ metadata: { name: `a${n}` } })) };
const path = parsePath(".items[*].metadata.name");
const after = 1_700_000_000_000;

const comparisons: readonly Comparison[] = [
  {
    name: "x509: read a certificate, its subject and its names",
    load: 'require("reflect-metadata"); require("@peculiar/x509")',
    ourModule: "std/x509/certificate.ts",
    theirs:
      ({ X509Certificate, SubjectAlternativeNameExtension }) =>
      () => {
        const certificate = new X509Certificate(der);
        return [
          certificate.subject,
          certificate.notAfter,
          certificate.getExtension(SubjectAlternativeNameExtension)?.names.items.length,
        ];
      },
    ours: () => readCertificate(der),
  },
  {
    name: "jose: verify a token of ES256",
    load: 'require("jose")',
    ourModule: "std/x509/jwt.ts",
    theirs:
      ({ jwtVerify }) =>
      () =>
        jwtVerify(token, publicKey),
    ours: () => {
      const jwt = parseJwt(token);
      return jwt && verifyJwt(jwt, publicKey);
    },
  },
  {
    name: "ws: 100 masked frames of 512 bytes",
    load: 'require("ws")',
    ourModule: "std/websocket/frames.ts",
    theirs:
      ({ Receiver }) =>
      () => {
        const receiver = new Receiver({ isServer: true, allowSynchronousEvents: true });
        let count = 0;
        receiver.on("message", () => count++);
        receiver.write(Buffer.from(frames));
        return count;
      },
    ours: () => new FrameDecoder(1 << 20, { masked: true }).push(Buffer.from(frames)),
  },
  ...(["croner", "cron-parser"] as const).map((library) => ({
    name: `${library}: parse a schedule and find its next time in a zone`,
    load: `require("${library}")`,
    ourModule: "machinery/time/next-cron-time.ts",
    theirs:
      ({ Cron, CronExpressionParser }: Library): Work =>
      () =>
        library === "croner"
          ? new Cron("*/5 3 1,15 * *", { timezone: "Europe/Berlin" }).nextRun(new Date(after))
          : CronExpressionParser.parse("*/5 3 1,15 * *", {
              tz: "Europe/Berlin",
              currentDate: new Date(after),
            }).next(),
    ours: () => nextCronTime(parseCronSchedule("*/5 3 1,15 * *"), after, "Europe/Berlin"),
  })),
  {
    name: "jsonpath-plus: names of 50 items",
    load: 'require("jsonpath-plus")',
    ourModule: "machinery/jsonpath/evaluate-jsonpath.ts",
    theirs:
      ({ JSONPath }) =>
      () =>
        JSONPath({ path: "$.items[*].metadata.name", json: object, eval: false }),
    ours: () => findAll(path, object, { allowMissing: true }),
  },
];

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

/** Microseconds of CPU for one run. */
async function costOf(work: Work): Promise<number> {
  for (let warm = 0; warm < 50; warm++) await work();
  const since = process.cpuUsage();
  let times = 0;
  for (; cpuMs(since) < budgetMs; times += 10) for (let n = 0; n < 10; n++) await work();
  return (1000 * cpuMs(since)) / times;
}

/** The cost of loading in a process of its own: CPU (ms) and resident memory (MiB). */
function loadCost(folder: string, code: string): { ms: number; mib: number } {
  const program = `const r=process.memoryUsage.rss(),c=process.cpuUsage();Promise.resolve(${code}).then(()=>{
const d=process.cpuUsage(c);console.log(JSON.stringify({ms:(d.user+d.system)/1e3,mib:(process.memoryUsage.rss()-r)/2**20}))})`;
  const runs = Array.from({ length: 3 }, () =>
    JSON.parse(execFileSync(process.execPath, ["-e", program], { cwd: folder, encoding: "utf8" })),
  );
  return runs.sort((a, b) => a.ms - b.ms)[0];
}

/** Packages that a package depends on, itself included. */
function packagesOf(folder: string, name: string): number {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const seen = new Set<string>();
  const visit = (each: string): void => {
    const found = packages[`node_modules/${each}`];
    if (!found || seen.has(each)) return;
    seen.add(each);
    for (const other of Object.keys(found.dependencies ?? {})) visit(other);
  };
  visit(name);
  return seen.size;
}

function install(): string {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-libraries-"));
  writeFileSync(join(folder, "package.json"), "{}");
  const options = ["--no-audit", "--no-fund", "--silent", "--ignore-scripts"];
  execFileSync("npm", ["install", ...options, ...candidates], { cwd: folder, stdio: "inherit" });
  return folder;
}

const { values } = parseArgs({ options: { folder: { type: "string" } } });
const folder = values.folder ?? install();
const require = createRequire(join(folder, "package.json"));
const source = join(import.meta.dirname, "../../src");
const importOf = (path: string): string => `import("${pathToFileURL(join(source, path)).href}")`;
const row = (...cells: readonly unknown[]): void =>
  void process.stdout.write(`| ${cells.join(" | ")} |\n`);
row("work", "theirs µs", "ours µs", "ratio", "load ms", "ours", "load MiB", "ours", "packages");
row(..."---------".split(""));
// The first module in TypeScript loads Node's own type stripper, which a built source pack does not need.
const stripper = loadCost(folder, importOf("std/base/lazily.ts"));
try {
  require("reflect-metadata");
  for (const { name, load, ourModule, theirs, ours } of comparisons) {
    const id = /require\("([^"]+)"\)$/.exec(load)?.[1] ?? "";
    const work = theirs(require(id));
    const [their, our] = [await costOf(work), await costOf(ours)];
    const loading = loadCost(folder, load.replace(";", ","));
    const own = loadCost(join(source, ".."), importOf(ourModule));
    row(
      name,
      ...[their, our].map((cost) => cost.toFixed(1)),
      (their / our).toFixed(1),
      ...[loading.ms, own.ms - stripper.ms].map((ms) => ms.toFixed(0)),
      ...[loading.mib, own.mib - stripper.mib].map((mib) => mib.toFixed(1)),
      packagesOf(folder, id),
    );
  }
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true });
}
