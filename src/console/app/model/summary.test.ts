import { checkCases } from "#/testing/check-cases.ts";
import { summaryOf } from "./summary.ts";

checkCases(
  "summaryOf",
  (status: object) => summaryOf({ metadata: { name: "x" }, spec: {}, status })?.text,
  [
    [{ phase: "Running" }, "Running"],
    [
      { phase: "Pending", containerStatuses: [{ state: { waiting: { reason: "ErrImagePull" } } }] },
      "ErrImagePull",
    ],
    [{ conditions: [{ type: "Ready", status: "False" }] }, "NotReady"],
    [{}, undefined],
  ],
);
