import type { Area } from "../case.ts";
import { createEach, objectOf } from "./create-each.ts";

const group = "/apis/resource.k8s.io/v1";
const apiVersion = "resource.k8s.io/v1";
const pool = { name: "a", resourceSliceCount: 1, generation: 1 };
const slice = (spec: object): object =>
  objectOf(
    apiVersion,
    "ResourceSlice",
    { spec: { driver: "d.example.com", pool, allNodes: true, ...spec } },
    { name: "{ns}" },
  );
const device = (more: object): object => slice({ devices: [{ name: "d", ...more }] });
const select = (expression: string): object =>
  objectOf(
    apiVersion,
    "DeviceClass",
    { spec: { selectors: [{ cel: { expression } }] } },
    { name: "{ns}" },
  );
const policy = (requestPolicy: object): object =>
  device({
    allowMultipleAllocations: true,
    capacity: { memory: { value: "10Gi", requestPolicy } },
  });

/** Expressions that select devices, and attributes that a device may have. */
export const deviceRulesArea: Area = {
  name: "device-rules",
  cases: [
    ...createEach(`${group}/deviceclasses`, {
      "expression: driver": select('device.driver == "d"'),
      "expression: attribute": select('device.attributes["d"].model == "x"'),
      "expression: attribute alone": select('device.attributes["d"].healthy'),
      "expression: capacity": select('device.capacity["d"].memory.isGreaterThan(quantity("1Gi"))'),
      "expression: many at once": select("device.allowMultipleAllocations == true"),
      "expression: empty": select(""),
      "expression: syntax": select("device."),
      "expression: unknown field": select("device.foo == 1"),
      "expression: unknown variable": select("object.x"),
      "expression: a number": select("1 + 1"),
      "expression: a text": select("device.driver"),
      "expression: long": select(`true ${"|| true ".repeat(2000)}`),
      "expression: costly": select(
        'device.attributes["d"].map(s, s.lowerAscii().map(t, t)).size() > 0',
      ),
    }),
    ...createEach(`${group}/resourceslices`, {
      "device: attributes": device({
        attributes: {
          model: { string: "x" },
          "other.example.com/size": { int: 5 },
          ok: { bool: true },
          v: { version: "1.2.3-a.b+c" },
        },
      }),
      "device: no value": device({ attributes: { model: {} } }),
      "device: two values": device({ attributes: { model: { string: "x", int: 5 } } }),
      "device: long text": device({ attributes: { model: { string: "x".repeat(65) } } }),
      "device: no version": device({ attributes: { v: { version: "1.2" } } }),
      "device: name of an attribute": device({ attributes: { "a-b": { int: 1 } } }),
      "device: long name of an attribute": device({ attributes: { ["a".repeat(33)]: { int: 1 } } }),
      "device: no domain": device({ attributes: { "/a": { int: 1 } } }),
      "device: no name": device({ attributes: { "a/": { int: 1 } } }),
      "device: bad domain": device({ attributes: { "A_/a": { int: 1 } } }),
      "device: too much": device({
        attributes: Object.fromEntries(
          Array.from({ length: 33 }, (_, index) => [`a${index}`, { int: index }]),
        ),
      }),
      "device: capacity": device({ capacity: { memory: { value: "1Gi" } } }),
      "device: policy of one": device({
        capacity: { memory: { value: "1Gi", requestPolicy: { default: "1Gi" } } },
      }),
      "policy: range": policy({
        default: "1Gi",
        validRange: { min: "1Gi", max: "8Gi", step: "1Gi" },
      }),
      "policy: values": policy({ default: "1Gi", validValues: ["1Gi", "2Gi"] }),
      "policy: both": policy({ default: "1Gi", validValues: ["1Gi"], validRange: { min: "1Gi" } }),
      "policy: no default": policy({ validValues: ["1Gi"] }),
      "policy: another default": policy({ default: "3Gi", validValues: ["1Gi", "2Gi"] }),
      "policy: unsorted": policy({ default: "1Gi", validValues: ["2Gi", "1Gi"] }),
      "policy: too large": policy({ default: "1Gi", validValues: ["1Gi", "11Gi"] }),
      "policy: min over max": policy({ default: "1Gi", validRange: { min: "4Gi", max: "2Gi" } }),
      "policy: step": policy({
        default: "2Gi",
        validRange: { min: "1Gi", max: "8Gi", step: "3Gi" },
      }),
      "policy: no step": policy({ default: "1Gi", validRange: { min: "1Gi", step: "0" } }),
      "counters: consumed": device({
        consumesCounters: [{ counterSet: "a", counters: { memory: { value: "1" } } }],
      }),
      "counters: nameless": device({
        consumesCounters: [{ counters: { memory: { value: "1" } } }],
      }),
      "counters: none": device({ consumesCounters: [{ counterSet: "a" }] }),
      "counters: shared": slice({
        sharedCounters: [{ name: "a", counters: { memory: { value: "1" } } }],
      }),
      "counters: shared badly": slice({ sharedCounters: [{ name: "A_", counters: {} }] }),
      "counters: and devices": slice({
        devices: [{ name: "d" }],
        sharedCounters: [{ name: "a", counters: { memory: { value: "1" } } }],
      }),
      "nodes: of the device": device({ nodeName: "n" }),
      "nodes: of each device": slice({
        allNodes: undefined,
        perDeviceNodeSelection: true,
        devices: [{ name: "a", nodeName: "n" }, { name: "b", allNodes: true }, { name: "c" }],
      }),
      "nodes: too many ways": slice({
        allNodes: undefined,
        perDeviceNodeSelection: true,
        devices: [{ name: "a", nodeName: "n", allNodes: true }],
      }),
      "binding: conditions": device({ bindingConditions: ["a"], bindingFailureConditions: ["b"] }),
      "binding: alone": device({ bindingConditions: ["a"] }),
      "binding: failures alone": device({ bindingFailureConditions: ["a"] }),
      "binding: the same": device({ bindingConditions: ["a"], bindingFailureConditions: ["a"] }),
      "binding: twice": device({ bindingConditions: ["a", "a"], bindingFailureConditions: ["b"] }),
    }),
  ],
};
