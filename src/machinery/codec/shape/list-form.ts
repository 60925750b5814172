/** The form of a resource's lists. */
export interface ListForm {
  readonly apiVersion: string;
  /** Usually the kind of the items with "List" after it. */
  readonly kind: string;
  readonly itemKind: string;
  /** Keys are sorted, and items have apiVersion and kind, as the schema of the items says. */
  readonly unstructured: boolean;
  /** Items have apiVersion and kind in lists that are not unstructured, too. */
  readonly typedItems?: boolean;
}

/** The metadata of a list (metav1.ListMeta). */
export interface ListMeta {
  readonly resourceVersion?: string;
  /** Set when there are more items. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
}
