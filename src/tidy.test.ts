import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkBannedCalls } from "../tools/tidy/banned-calls.ts";
import { checkBareTables } from "../tools/tidy/bare-tables.ts";
import { checkFileCycles, checkFolderCycles } from "../tools/tidy/cycles.ts";
import { checkDeadFiles } from "../tools/tidy/dead-files.ts";
import { checkDeadLinks } from "../tools/tidy/dead-links.ts";
import { checkExports } from "../tools/tidy/exports.ts";
import { checkFileNames } from "../tools/tidy/file-names.ts";
import { checkFolderSizes } from "../tools/tidy/folder-sizes.ts";
import { checkKindBranches } from "../tools/tidy/kind-branches.ts";
import { readLayerTable } from "../tools/tidy/layer-table.ts";
import { checkLayers } from "../tools/tidy/layers.ts";
import { checkLeftovers } from "../tools/tidy/leftovers.ts";
import { checkExactVersions, checkLockEntries } from "../tools/tidy/lock-entries.ts";
import { checkOriginGuesses } from "../tools/tidy/origin-guesses.ts";
import { checkPackages } from "../tools/tidy/packages.ts";
import { checkPlainWords } from "../tools/tidy/plain-words.ts";
import { checkPodFiles } from "../tools/tidy/pod-files.ts";
import { checkReachable } from "../tools/tidy/reachable.ts";
import { checkSleeps } from "../tools/tidy/sleeps.ts";
import type { Finding, SourceFile } from "../tools/tidy/source-file.ts";
import { checkTemplateLines } from "../tools/tidy/template-lines.ts";
import { checkTlsHomes } from "../tools/tidy/tls-homes.ts";
import { checkUntestedPlans } from "../tools/tidy/untested-plans.ts";
import { checkVersionLiterals } from "../tools/tidy/version-literals.ts";
import { checkWideLines } from "../tools/tidy/wide-lines.ts";

const root = join(import.meta.dirname, "..");

const code = read("{bin,src,test,bench,tools}/**/*.ts");
const documents = read("{*.md,{bin,src,test,bench,tools,docs,.ci}/**/*.md}");

test("imports go down only, as ARCHITECTURE.md says", () => {
  const architecture = documents.find(({ path }) => path === "ARCHITECTURE.md")?.text ?? "";
  expectNone(checkLayers(code, readLayerTable(architecture)));
});
test("no folders import each other", () => expectNone(checkFolderCycles(code)));
test("no files need each other's values", () => expectNone(checkFileCycles(code)));
test("a folder fits on a screen", () => expectNone(checkFolderSizes(code)));
test("calls with a home are made there", () => expectNone(checkBannedCalls(code)));
test("clients trust servers in one place", () => expectNone(checkTlsHomes(code)));
test("tables that clients ask inherit no names", () => expectNone(checkBareTables(code)));
test("the kubelet reaches Pods' files safely", () => expectNone(checkPodFiles(code)));
test("generic folders know no kinds", () => expectNone(checkKindBranches(code)));
test("what a resource can do is declared", () => expectNone(checkOriginGuesses(code)));
test("every file is imported or run", () => expectNone(checkDeadFiles(code)));
test("a program reaches every module", () => expectNone(checkReachable(code)));
test("another module uses every export", () => expectNone(checkExports(code, testDoors)));
test("programs have the packages that they import", () => {
  expectNone(checkPackages(code, readFileSync(join(root, "package.json"), "utf8")));
});
test("every package is pinned by its checksum, and its version is exact", () => {
  expectNone(checkLockEntries(readFileSync(join(root, "package-lock.json"), "utf8")));
  expectNone(checkExactVersions(readFileSync(join(root, "package.json"), "utf8")));
});
test("npm runs no scripts, and records no registry", () => {
  const settings = readFileSync(join(root, ".npmrc"), "utf8").split("\n");
  assert.ok(settings.includes("ignore-scripts=true"));
  assert.ok(settings.includes("omit-lockfile-registry-resolved=true"));
});
test("the version of Kubernetes is stated once", () => expectNone(checkVersionLiterals(code)));
test("files are named after what they export", () => expectNone(checkFileNames(code)));
test("what runs has every line of its templates", () => expectNone(checkTemplateLines(code)));
test("tests wait for conditions, not for time", () => expectNone(checkSleeps(code)));
test("decisions have a table of cases", () => expectNone(checkUntestedPlans(code)));
test("comments, log messages and test names are in plain English", () => {
  expectNone(checkPlainWords(code));
});
test("no notes to oneself are left", () => expectNone(checkLeftovers(code)));
test("lines of documents fit into 120 columns", () => expectNone(checkWideLines(documents)));
test("links between documents lead somewhere", () => {
  expectNone(checkDeadLinks(documents, (path) => existsSync(join(root, path))));
});

/** Switches of a whole process that only tests use: checks at each write, and repeatable random numbers. */
const testDoors = new Set([
  "src/apiserver/registry/sharing/shared.ts#freezeSharedValues",
  "src/std/base/random.ts#replaceSystemRandom",
]);

function read(pattern: string): SourceFile[] {
  return globSync(pattern, { cwd: root })
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

function expectNone(findings: readonly Finding[]): void {
  const lines = findings.map(({ path, line, message }) => `${path}:${line}: ${message}`);
  assert.equal(lines.join("\n"), "");
}
