import assert from "node:assert/strict";
import { test } from "node:test";
import { type AdmissionPlugin, admissionPlugin } from "./base/admission-plugin.ts";
import { choosePlugins } from "./choose-plugins.ts";

const plugin = (name: string, offByDefault = false): AdmissionPlugin =>
  admissionPlugin({ name, offByDefault, operations: [] });
const all = [plugin("A"), plugin("B", true), plugin("C")];
const none = {
  "admission-control": [],
  "enable-admission-plugins": [],
  "disable-admission-plugins": [],
};

const chosen: { name: string; flags: object; names: string[] }[] = [
  { name: "nothing", flags: {}, names: ["A", "C"] },
  { name: "one more", flags: { "enable-admission-plugins": ["B"] }, names: ["A", "B", "C"] },
  { name: "one less", flags: { "disable-admission-plugins": ["A"] }, names: ["C"] },
  { name: "exactly", flags: { "admission-control": ["C", "B"] }, names: ["B", "C"] },
];

for (const { name, flags, names } of chosen) {
  test(`choosePlugins() with flags for ${name}`, () => {
    const plugins = choosePlugins(all, { ...none, ...flags });
    assert.deepEqual(
      plugins.map((one) => one.name),
      names,
    );
  });
}

const refused: { flags: object; message: string }[] = [
  {
    flags: { "enable-admission-plugins": ["X"] },
    message: 'enable-admission-plugins plugin "X" is unknown',
  },
  {
    flags: { "enable-admission-plugins": ["B"], "disable-admission-plugins": ["B"] },
    message: "[B] in enable-admission-plugins and disable-admission-plugins overlapped",
  },
  {
    flags: { "admission-control": ["A"], "disable-admission-plugins": ["Y"] },
    message:
      '[admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive, disable-admission-plugins plugin "Y" is unknown]',
  },
];

for (const { flags, message } of refused) {
  test(`choosePlugins() refuses: ${message}`, () => {
    assert.throws(() => choosePlugins(all, { ...none, ...flags }), { message });
  });
}
