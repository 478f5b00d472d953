/** Units whose length depends on the calendar; weeks begin on Monday. */
export type CalendarUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** Width of the buckets of dates; `createDateRounding` applies it. */
export type DateInterval =
  { readonly kind: 'calendar'; readonly unit: CalendarUnit } | { readonly kind: 'fixed'; readonly ms: number };
