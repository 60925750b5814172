import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkoutProblem, ownerHint } from "./checkout-access.ts";

const [alice, bob] = [61_001, 61_002];
/** alice has a group of her own; staff has several members, and so has the primary group of bob. */
const accounts = {
  passwd: `root:x:0:0::/root:/bin/sh
alice:x:${alice}:${alice}::/home/alice:/bin/sh
bob:x:${bob}:700::/home/bob:/bin/sh
carol:x:61003:700::/home/carol:/bin/sh
`,
  group: `root:x:0:\nalice:x:${alice}:alice\nstaff:x:600:alice,bob\nusers:x:700:\n`,
};
const options = { skip: process.getuid?.() !== 0 && "needs root" };

/** A home folder with a checkout of alice. */
class Checkout implements Disposable {
  readonly home = mkdtempSync(join(tmpdir(), "home-"));
  readonly path = join(this.home, "k8ts");

  constructor() {
    for (const folder of ["", "src", ".git", "node_modules"])
      mkdirSync(join(this.path, folder), { recursive: true });
    for (const file of ["k8ts", "src/main.ts", ".git/config", "node_modules/node"])
      writeFileSync(join(this.path, file), "");
    symlinkSync("k8ts", join(this.path, "link"));
    lchownSync(join(this.path, "link"), bob, bob);
    for (const place of ["", "src", ".git", "node_modules", "k8ts", "src/main.ts"])
      this.set(place, 0o755, alice, alice);
    this.set("node_modules/node", 0o755, 0, 0);
    this.set("..", 0o700, alice, alice);
  }

  set(place: string, mode: number, uid: number, gid: number): void {
    chownSync(join(this.path, place), uid, gid);
    chmodSync(join(this.path, place), mode);
  }

  [Symbol.dispose](): void {
    rmSync(this.home, { recursive: true });
  }
}

const cases: readonly {
  readonly name: string;
  readonly change: readonly [place: string, mode: number, uid: number, gid: number];
  /** The place that the problem names. */
  readonly open?: string;
}[] = [
  { name: "nothing is open", change: ["k8ts", 0o755, alice, alice] },
  { name: "root owns a file", change: ["src/main.ts", 0o644, 0, 0] },
  { name: "the owner's own group writes", change: ["src/main.ts", 0o664, alice, alice] },
  { name: "root's group writes", change: ["src", 0o775, alice, 0] },
  { name: "git's files are open", change: [".git", 0o777, alice, alice] },
  {
    name: "everyone writes a source file",
    change: ["src/main.ts", 0o666, alice, alice],
    open: "src/main.ts",
  },
  { name: "everyone writes the launcher", change: ["k8ts", 0o757, alice, alice], open: "k8ts" },
  { name: "everyone writes a folder", change: ["src", 0o777, alice, alice], open: "src" },
  {
    name: "everyone writes a package",
    change: ["node_modules/node", 0o777, 0, 0],
    open: "node_modules/node",
  },
  {
    name: "a shared group writes",
    change: ["src/main.ts", 0o664, alice, 600],
    open: "src/main.ts",
  },
  { name: "a primary group of several writes", change: ["src", 0o775, alice, 700], open: "src" },
  { name: "an unknown group writes", change: ["src", 0o775, alice, 999], open: "src" },
  {
    name: "another user owns a file",
    change: ["src/main.ts", 0o600, bob, alice],
    open: "src/main.ts",
  },
  { name: "everyone writes the parent", change: ["..", 0o777, alice, alice], open: ".." },
  { name: "the parent is sticky", change: ["..", 0o1777, 0, 0] },
  { name: "another user owns the parent", change: ["..", 0o755, bob, alice], open: ".." },
];

for (const { name, change, open } of cases) {
  test(`checkoutProblem(): ${name}`, options, async () => {
    using checkout = new Checkout();
    checkout.set(...change);
    const problem = await checkoutProblem(checkout.path, { accounts });
    if (open === undefined) return assert.equal(problem, undefined);
    const path = join(checkout.path, open);
    const expected = `users other than root and alice could change ${path}, `;
    assert.equal(problem?.slice(0, expected.length), expected);
  });
}

test("checkoutProblem() looks at packages behind a link", options, async () => {
  using checkout = new Checkout();
  using other = new Checkout();
  rmSync(join(checkout.path, "node_modules"), { recursive: true });
  symlinkSync(join(other.path, "node_modules"), join(checkout.path, "node_modules"));
  assert.equal(await checkoutProblem(checkout.path, { accounts }), undefined);
  other.set("node_modules/node", 0o777, 0, 0);
  assert.match(
    (await checkoutProblem(checkout.path, { accounts })) ?? "",
    /node_modules\/node, which/,
  );
});

test("ownerHint() names an owner other than root and the user of sudo", options, () => {
  using checkout = new Checkout();
  assert.match(ownerHint(checkout.path, undefined, accounts) ?? "", /belongs to alice/);
  assert.match(ownerHint(checkout.path, String(bob), accounts) ?? "", /belongs to alice/);
  assert.equal(ownerHint(checkout.path, String(alice), accounts), undefined);
  checkout.set("", 0o755, 0, 0);
  assert.equal(ownerHint(checkout.path, undefined, accounts), undefined);
});
