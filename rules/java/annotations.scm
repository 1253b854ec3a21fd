; Annotations: a name, or a call of it.

(marker_annotation
  name: (_) @inner) @expr.same

(annotation
  name: (_) @callee
  arguments: (annotation_argument_list) @arguments) @expr.call

(element_value_array_initializer) @expr.collection

; `com.acme.Cached`
(scoped_identifier
  scope: (_) @object
  name: (_) @name) @expr.member
