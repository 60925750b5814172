import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterPaths } from "../base/paths.ts";
import { podSlice, sliceRoot } from "../machine/slices.ts";
import { isUnitOfProgram, type UnitFile, unitFiles } from "./systemd-units.ts";
import { quoteWord } from "./systemd-words.ts";

const names = ["server", "containerd", "agent"];

function unitsOf(
  cluster: string,
  folder: string,
  { release = 252, programs = names, launcher = "/opt/k8ts/k8ts" } = {},
): UnitFile[] {
  const commands = programs.map((name) => ({ name, command: [launcher, name, folder] }));
  return unitFiles({ paths: clusterPaths(folder), cluster, launcher, programs: commands, release });
}

/** The values of a setting in a unit, in order. */
function settings(units: readonly UnitFile[], name: string, key: string): string[] {
  const text = units.find((unit) => unit.name === name)?.text ?? "";
  return [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

const clusters = [
  { cluster: "k8ts", base: "k8ts", slice: "kubepods", root: "/" },
  { cluster: "two-b", base: "k8ts-two-b", slice: "k8ts_two_b", root: "/k8ts_two_b" },
];

for (const { cluster, base, slice, root } of clusters) {
  const units = unitsOf(cluster, "/srv/x");

  test(`unitFiles() names the units of cluster ${cluster}, and its Pods' slice`, () => {
    assert.deepEqual(
      units.map(({ name }) => name),
      [
        `${base}.service`,
        `${base}-server.service`,
        `${base}-containerd.service`,
        `${base}-agent.service`,
        `${base}-pods.service`,
        `${slice}.slice`,
        `${slice}-.slice.d/k8ts.conf`,
      ],
    );
    assert.deepEqual([podSlice(cluster), sliceRoot(cluster)], [slice, root]);
  });

  test(`unitFiles() starts, stops and restarts all of cluster ${cluster} with its main unit`, () => {
    const parts = [...names, "pods"].map((name) => `${base}-${name}.service`);
    const [wanted = ""] = settings(units, `${base}.service`, "Wants");
    assert.deepEqual(wanted.split(" "), ["network-online.target", ...parts]);
    for (const part of parts) {
      assert.deepEqual(settings(units, part, "PartOf"), [`${base}.service`]);
      assert.match(settings(units, part, "After")[0] ?? "", new RegExp(`^${base}.service`));
    }
    assert.deepEqual(settings(units, `${base}.service`, "WantedBy"), ["multi-user.target"]);
  });

  test(`unitFiles() stops the agent of ${cluster}, then Pods, then what they need`, () => {
    const after = (name: string) => settings(units, `${base}-${name}.service`, "After")[0];
    const [main, server, containerd] = ["", "-server", "-containerd"].map(
      (end) => `${base}${end}.service`,
    );
    assert.equal(after("pods"), `${main} ${server} ${containerd}`);
    const rootSlice = root === "/" ? "" : ` ${slice}.slice`;
    assert.equal(
      after("agent"),
      `${main} ${server} ${containerd} ${base}-pods.service${rootSlice}`,
    );
  });

  test(`unitFiles() stops the server of ${cluster}, then its etcd`, () => {
    const withEtcd = unitsOf(cluster, "/srv/x", { programs: ["etcd", ...names] });
    const [after] = settings(withEtcd, `${base}-server.service`, "After");
    assert.equal(after, `${base}.service ${base}-etcd.service`);
  });

  test(`unitFiles() has the cgroupRoot of ${cluster} there before the kubelet`, () => {
    const wanted = settings(units, `${base}-agent.service`, "Wants");
    assert.deepEqual(wanted, root === "/" ? [] : [`${slice}.slice`]);
  });

  test(`unitFiles() prepares ${cluster} unless \`up\` just did, and ends Pods unless \`down\` did`, () => {
    const script = `/bin/sh -c "rm \\"$$0\\" 2>/dev/null || exec \\"$$@\\"" /run/${base}`;
    assert.deepEqual(settings(units, `${base}.service`, "ExecStart"), [
      `${script}.prepared /opt/k8ts/k8ts prepare --name=${cluster} --data-dir=/srv/x`,
    ]);
    assert.deepEqual(settings(units, `${base}-pods.service`, "ExecStop"), [
      `${script}.cleaned /opt/k8ts/k8ts agent /srv/x --cleanup`,
    ]);
  });
}

test("unitFiles() restarts each program forever, and protects it from the OOM killer", () => {
  const units = unitsOf("k8ts", "/srv/x");
  for (const name of names.map((program) => `k8ts-${program}.service`)) {
    const all = ["Restart", "StartLimitIntervalSec", "OOMScoreAdjust", "TasksMax", "LimitNOFILE"];
    assert.deepEqual(
      all.map((key) => settings(units, name, key)[0]),
      ["always", "0", "-999", "infinity", "1048576"],
    );
  }
});

const perProgram = [
  { program: "server", type: "exec", delegate: [], killMode: [] },
  { program: "containerd", type: "notify", delegate: ["yes"], killMode: ["process"] },
  { program: "agent", type: "exec", delegate: ["yes"], killMode: ["process"] },
];

for (const { program, type, delegate, killMode } of perProgram) {
  test(`unitFiles() delays no boot for the cluster, and ends no container with ${program}`, () => {
    const units = unitsOf("k8ts", "/srv/x");
    const name = `k8ts-${program}.service`;
    assert.deepEqual(settings(units, name, "Type"), [type]);
    assert.deepEqual(settings(units, name, "Delegate"), delegate);
    assert.deepEqual(settings(units, name, "KillMode"), killMode);
  });
}

const delays = [
  { release: 252, keys: ["500ms", undefined, undefined] },
  { release: 254, keys: ["200ms", "5", "5s"] },
];

for (const { release, keys } of delays) {
  test(`unitFiles() uses the restart delays that systemd ${release} supports`, () => {
    const units = unitsOf("k8ts", "/srv/x", { release });
    const found = ["RestartSec", "RestartSteps", "RestartMaxDelaySec"].map(
      (key) => settings(units, "k8ts-agent.service", key)[0],
    );
    assert.deepEqual(found, keys);
  });
}

test("unitFiles() doesn't stop Pods' slices at shutdown: their unit ends them", () => {
  for (const unit of unitsOf("k8ts", "/srv/x").filter(({ name }) => name.includes(".slice"))) {
    assert.match(unit.text, /^DefaultDependencies=no$/m);
  }
});

test("unitFiles() has no unit for a program that a joined node lacks", () => {
  const units = unitsOf("k8ts", "/srv/x", { programs: ["agent"] });
  assert.ok(!units.some(({ name }) => /server|containerd/.test(name)));
  assert.doesNotMatch(settings(units, "k8ts.service", "Wants")[0] ?? "", /server|containerd/);
});

const words = [
  ["/opt/k8ts/k8ts", "/opt/k8ts/k8ts"],
  ["--name=a", "--name=a"],
  ["/opt/my k8ts/k8ts", '"/opt/my k8ts/k8ts"'],
  ["100%", "100%%"],
  ["$HOME", "$$HOME"],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ["", '""'],
] as const;

for (const [word, quoted] of words) {
  test(`quoteWord() makes systemd read ${JSON.stringify(word)} unchanged`, () => {
    assert.equal(quoteWord(word), quoted);
  });
}

const reserved = { server: true, "a-agent": true, containerd: true, servers: false, k8ts: false };

for (const [name, expected] of Object.entries(reserved)) {
  test(`isUnitOfProgram() is ${expected} for ${name}`, () => {
    assert.equal(isUnitOfProgram(name), expected);
  });
}
