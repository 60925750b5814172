import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { tarEnd, tarHeader, tarPadding } from "#/std/archive/tar-writer.ts";
import type { Context } from "../../command/context.ts";
import { archivePrefix, isWithin, parseFileSpec } from "./file-spec.ts";
import { unpackFiles } from "./unpack.ts";

for (const [text, pod, namespace, file] of [
  ["a/b/", "", "", "a/b"],
  ["pod:/tmp/x/", "pod", "", "/tmp/x"],
  ["ns/pod:x\\y", "pod", "ns", "x/y"],
  ["pod:", "pod", "", ""],
  ["pod:a:b", "pod", "", "a:b"],
] as const) {
  test(`parseFileSpec() reads ${text}`, () => {
    assert.deepEqual(parseFileSpec(text), { pod, namespace, file });
  });
}

for (const text of [":a", "a/b/c:d"]) {
  test(`parseFileSpec() refuses ${text}`, () => assert.throws(() => parseFileSpec(text)));
}

test("archivePrefix() leads nowhere above the root", () => {
  const given = ["/tmp/foo", "../../etc/", "a/../b//c", ".", "/", "/.."];
  assert.deepEqual(given.map(archivePrefix), ["tmp/foo", "etc", "b/c", "", "", ""]);
});

test("isWithin() accepts paths inside a folder only", () => {
  const given = ["d", "d/e", "d/../e", "e", "d/..f", "../d"];
  assert.deepEqual(
    given.map((path) => isWithin("d", path)),
    [true, true, false, false, true, false],
  );
});

/** Unpacks an archive of files with these names into a folder; returns its content, and the messages. */
async function unpack(names: readonly string[]): Promise<{ files: string[]; said: string }> {
  const root = mkdtempSync(join(tmpdir(), "cp-"));
  const said: string[] = [];
  const context = {
    err: { write: (text: string) => said.push(text) },
    cwd: root,
    path: (name: string) => resolve(root, name),
  } as unknown as Context;
  async function* archive(): AsyncGenerator<Uint8Array> {
    for (const name of names) {
      const [plain = "", linkTo] = name.split("->");
      if (linkTo === undefined) {
        yield tarHeader({ name: plain, kind: "file", mode: 0o644, sizeBytes: 4 });
        yield Buffer.from("evil");
        yield tarPadding(4);
      } else yield tarHeader({ name: plain, kind: "symlink", linkTo, mode: 0o777 });
    }
    yield tarEnd;
  }
  try {
    const unpacking = { namespace: "ns", pod: "pod", from: "/src", to: "out" };
    await unpackFiles(context, unpacking, archive());
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
    assert.equal(readFileSync(join(root, "out/good"), "utf8"), "evil");
    return { files, said: said.join("") };
  } finally {
    rmSync(root, { recursive: true });
  }
}

test("unpackFiles() writes nothing outside of the target", async () => {
  assert.deepEqual(await unpack(["src/good", "src/../../bad", "src/../out/../../worse"]), {
    files: ["out", "out/good"],
    said:
      'warning: file "../bad" is outside target destination, skipping\n' +
      'warning: file "../worse" is outside target destination, skipping\n',
  });
});

test("unpackFiles() creates no links, so that nothing is written through them", async () => {
  assert.deepEqual(await unpack(["src/good", "src/away->/etc", "src/more->.."]), {
    files: ["out", "out/good"],
    said:
      'warning: skipping symlink: "out/away" -> "/etc" (consider using "kubectl exec -n "ns" "pod" -- tar cf - "/src" | tar xf -")\n' +
      'warning: skipping symlink: "out/more" -> ".."\n',
  });
});

test("unpackFiles() refuses an archive of something else", async () => {
  await assert.rejects(unpack(["other/file"]), { message: "tar contents corrupted" });
});
