; Names and members that get a value.

(assignment
  left: (_) @target
  type: (_)? @annotation
  right: (_)? @value) @bind.assign

(augmented_assignment
  left: (_) @target
  operator: _ @operator
  right: (_) @value) @bind.augment

(with_item
  value: (as_pattern
    .
    (_) @value
    alias: (as_pattern_target
      (_) @target))) @bind.with

; A resource that is entered without a name still matters: it is opened and closed here.
(with_item
  value: (_) @value) @bind.with
