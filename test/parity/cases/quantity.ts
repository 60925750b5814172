import type { Area, Case } from "../case.ts";
import { Seeded } from "./seeded.ts";
import { capacities, claims, create, quotas } from "./steps.ts";

const suffixes = [
  "",
  "n",
  "u",
  "m",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Ki",
  "Mi",
  "Gi",
  "Ti",
  "Pi",
  "Ei",
];
const numbers = ["0", "1", "10", "1.5", "0.5", "999", "1000", "1024", "1536", "0.001", "12.345"];
const odd = [
  "1e3",
  "1E3",
  "1.5e3",
  "1e-3",
  "1e-9",
  "1e-10",
  "5e-1",
  "1e18",
  "1e19",
  "1.0",
  "1.000",
  "0.0",
  "00012",
  "007.50",
  ".5",
  "5.",
  "+1",
  "+1.5Gi",
  "-1",
  "-0.5",
  "-0",
  "1.1n",
  "0.1n",
  "0.4u",
  "1500m",
  "1000m",
  "999m",
  "1001m",
  "1000k",
  "1000000",
  "100000000000",
  "1073741824",
  "1048576Ki",
  "1024Mi",
  "1023Mi",
  "0.5Gi",
  "1.5Gi",
  "0.1Gi",
  "1.7Ki",
  "8Ei",
  "7Ei",
  "16Ei",
  "100Ei",
  "9223372036854775807",
  "9223372036854775808",
  "9.3E",
  "123456789012345678901234567890",
  "0.000000001",
  "0.0000000001",
  "1.0000000001",
  "4e0",
  "1e1k",
] as const;
const wrong = [
  "",
  " 1",
  "1 ",
  "1 Gi",
  "1gi",
  "1K",
  "0x10",
  "1e",
  "e3",
  "--1",
  "1.2.3",
  "NaN",
  "Inf",
  "1_000",
  "Gi",
  "1Gii",
];
const plainNumbers = [
  0,
  1,
  -1,
  1.5,
  0.001,
  1e3,
  1e21,
  1e-7,
  4294967296,
  9007199254740991,
  true,
  null,
  [],
  {},
];

const capacity = (value: unknown): Case => ({
  name: `capacity ${JSON.stringify(value)}`,
  steps: [
    create(capacities, {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSIStorageCapacity",
      metadata: { name: "c" },
      storageClassName: "s",
      capacity: value,
    }),
  ],
});

/** Resource lists are rounded up to thousandths. */
const rounded = (value: unknown): Case => ({
  name: `hard ${JSON.stringify(value)}`,
  steps: [
    create(quotas, {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "q" },
      spec: { hard: { "requests.memory": value } },
    }),
  ],
});

function seeded(count: number): string[] {
  const random = new Seeded(20260731);
  return Array.from({ length: count }, () => {
    const whole = String(random.below(10 ** random.below(10)));
    const fraction = random.chance(0.5) ? `.${random.below(10 ** random.below(7))}` : "";
    return whole + fraction + random.pick(suffixes);
  });
}

const claim = (storage: string): Case => ({
  name: `claim ${storage}`,
  steps: [
    create(claims, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "c" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
    }),
  ],
});

const values = [
  ...numbers.flatMap((n) => suffixes.map((s) => n + s)),
  ...odd,
  ...wrong,
  ...seeded(40),
];

/** How quantities are read, written and refused. */
export const quantity: Area = {
  name: "quantity",
  cases: [
    ...[...new Set(values)].map(capacity),
    ...plainNumbers.map(capacity),
    ...[
      "1n",
      "1.5m",
      "0.5u",
      "999u",
      "1000u",
      "1001u",
      "-1n",
      "0.1Gi",
      "1.7Ki",
      "1e-4",
      0.0001,
      "0",
    ].map(rounded),
    ...["1Gi", "1024Mi", "0", "1500m", "0.5Gi", "-1Gi"].map(claim),
  ],
};
