import assert from "node:assert/strict";
import { test } from "node:test";
import { containerdWarning } from "./containerd-version.ts";

const cases = [
  ["containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u3", "1.6.20"],
  ["containerd github.com/containerd/containerd v1.6.39 0123456", "1.6.39"],
  ["containerd containerd.io 1.7.32 0123456", "1.7.32"],
  ["containerd containerd.io 1.7.33 0123456", undefined],
  ["containerd github.com/containerd/containerd/v2 v2.0.9 0123456", "2.0.9"],
  ["containerd github.com/containerd/containerd/v2 v2.0.10 0123456", undefined],
  ["containerd github.com/containerd/containerd/v2 2.2.4 0123456", "2.2.4"],
  ["containerd github.com/containerd/containerd/v2 2.3.2 0123456", undefined],
  ["containerd github.com/containerd/containerd/v2 v2.4.0 0123456", undefined],
  ["containerd github.com/containerd/containerd/v3 v3.0.0 0123456", undefined],
  ["containerd of unknown origin", undefined],
] as const;

for (const [output, version] of cases) {
  test(`containerdWarning(): ${output}`, () => {
    const warning = containerdWarning(output);
    if (version === undefined) assert.equal(warning, undefined);
    else
      assert.match(warning ?? "", new RegExp(`^ {2}security {3}containerd ${version} has known`));
  });
}
