interface Group {
  readonly spec: {
    readonly schedulingPolicy: { readonly gang?: unknown };
    readonly workloadRef?: { readonly workloadName: string } | undefined;
  };
}

/** Columns of groups, of Pods or of groups. */
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
