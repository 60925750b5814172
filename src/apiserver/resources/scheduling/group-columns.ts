interface Group {
  readonly spec: {
    readonly schedulingPolicy: { readonly gang?: unknown };
    readonly workloadRef?: { readonly workloadName: string } | undefined;
  };
}

/** What is shown of a group of pods, whether it consists of pods or of such groups. */
export const groupColumns = [
  {
    name: "Policy",
    type: "string",
    cell: ({ spec }: Group) => (spec.schedulingPolicy.gang ? "Gang" : "Basic"),
  },
  {
    name: "Workload",
    type: "string",
    cell: ({ spec }: Group) => spec.workloadRef?.workloadName ?? "<none>",
  },
] as const;
