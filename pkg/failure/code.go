package failure

// Code names a kind of problem. Codes are stable, because people search for them and
// programs filter by them.
//
// To add a code, add a constant here, its entry to pkg/diagnostic/catalogue.go or
// catalogue_jobs.go, and a configuration with the problem to cmd/extractor/testdata/codes, in a
// file with the name of the code. `go test ./cmd/extractor -run TestScripts -update` writes
// the expected output. Tests compare the three.
type Code string

// The kinds of problems of a configuration. Package diagnostic explains them.
const (
	// The text and its variables.
	InvalidJSON     Code = "invalid-json"
	InvalidVariable Code = "invalid-variable"
	MissingVariable Code = "missing-variable"
	UnusedVariable  Code = "unused-variable"
	DuplicateKey    Code = "duplicate-key"

	// Keys and values.
	MissingKey      Code = "missing-key"
	UnknownKey      Code = "unknown-key"
	UnusedAttribute Code = "unused-attribute"
	WrongType       Code = "wrong-type"
	UnknownChoice   Code = "unknown-choice"
	WrongValue      Code = "wrong-value"
	OldForm         Code = "old-form"
	NoEffect        Code = "no-effect"

	// Expressions.
	UnknownAttribute      Code = "unknown-attribute"
	UnknownFunction       Code = "unknown-function"
	WrongArguments        Code = "wrong-arguments"
	FailedExpression      Code = "failed-expression"
	UnevaluatedExpression Code = "unevaluated-expression"
	UnsetAttribute        Code = "unset-attribute"

	// Requests.
	InvalidAddress       Code = "invalid-address"
	UnsendableHeader     Code = "unsendable-header"
	RequiredHeader       Code = "required-header"
	UnknownScroller      Code = "unknown-scroller"
	UnusedScroller       Code = "unused-scroller"
	OverwrittenParameter Code = "overwritten-parameter"
	IdleLookahead        Code = "idle-lookahead"
	IdleRule             Code = "idle-rule"
	InvalidBody          Code = "invalid-body"

	// Jobs and tables.
	DuplicateJob        Code = "duplicate-job"
	IdleChild           Code = "idle-child"
	InvalidPlaceholder  Code = "invalid-placeholder"
	UnfilledPlaceholder Code = "unfilled-placeholder"
	OrphanPlaceholder   Code = "orphan-placeholder"
	ForeignPath         Code = "foreign-path"
	UnreachablePath     Code = "unreachable-path"
	InvalidFilter       Code = "invalid-filter"
	BooleanWord         Code = "boolean-word"
	MatchedError        Code = "matched-error"
	SharedColumn        Code = "shared-column"
	InvalidMapping      Code = "invalid-mapping"
	UnusedMapping       Code = "unused-mapping"
	NoPrimaryKey        Code = "no-primary-key"
	EmptyBoolean        Code = "empty-boolean"
	ErrorRow            Code = "error-row"

	// Remembered values.
	InvalidRemember   Code = "invalid-remember"
	UnknownRemembered Code = "unknown-remembered"
	UnreadRemembered  Code = "unread-remembered"
	ReplacedTable     Code = "replaced-table"
	RepeatedRow       Code = "repeated-row"
	CannotStartOver   Code = "cannot-start-over"

	// Secrets.
	MissingCredentials Code = "missing-credentials"
	InvalidCertificate Code = "invalid-certificate"
	EncryptedSecret    Code = "encrypted-secret"
	PlainSecret        Code = "plain-secret"
	ShortSecret        Code = "short-secret"
	ExampleValue       Code = "example-value"
	PlainAddress       Code = "plain-address"
	WithheldCredential Code = "withheld-credential"
)
