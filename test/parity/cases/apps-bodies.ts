export const base = "/apis/apps/v1/namespaces/{ns}";

export const labels = { app: "x" };

export const template = {
  metadata: { labels },
  spec: { containers: [{ name: "a", image: "a:1" }] },
};

export const spec = { selector: { matchLabels: labels }, template };

export const object = (kind: string, parts: object, metadata: object = {}): object => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "x", ...metadata },
  ...parts,
});

export const podSpec = (parts: object): object => ({
  template: { ...template, spec: { ...template.spec, ...parts } },
});
