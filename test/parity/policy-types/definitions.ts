import { group } from "./policy-case.ts";

const text = { type: "string" };

const widgetSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 0, default: 1 },
        ratio: { type: "number" },
        color: { type: "string", enum: ["red", "blue"] },
        port: { "x-kubernetes-int-or-string": true },
        due: { type: "string", format: "date-time" },
        wait: { type: "string", format: "duration" },
        blob: { type: "string", format: "byte" },
        names: { type: "array", items: text },
        notes: { type: "object", additionalProperties: text },
        parts: {
          type: "array",
          items: { type: "object", properties: { name: text, weight: { type: "integer" } } },
        },
        "with-dash": text,
        namespace: text,
        open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    status: { type: "object", properties: { ready: { type: "boolean" } } },
  },
};

const openSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function definition(kind: string, openAPIV3Schema: object): object {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

/** The custom kinds of the policies. */
export const definitions: readonly object[] = [
  definition("Widget", widgetSchema),
  definition("Loose", openSchema),
];
