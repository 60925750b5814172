/** What the lists of a resource look like. */
export interface ListForm {
  readonly apiVersion: string;
  /** Usually the kind of the items with "List" after it. */
  readonly kind: string;
  readonly itemKind: string;
  /** Keys are sorted, and items say of which kind they are, as the schema of the items says it. */
  readonly unstructured: boolean;
  /** Items say of which kind they are, in other lists than unstructured ones too. */
  readonly typedItems?: boolean;
}

/** The metadata of a list (metav1.ListMeta). */
export interface ListMeta {
  readonly resourceVersion?: string;
  /** Set when there is more. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
}
