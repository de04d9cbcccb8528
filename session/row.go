package session

// Row is one session as listings read it: the stored values, before any rule
// of display. Text columns that hold SQL NULL are nil. Times are Unix seconds.
type Row struct {
	ID        string
	CreatedAt float64
	// UpdatedAt is nil in stores whose column is still nullable.
	UpdatedAt *float64

	Name           *string
	PlaybookName   *string
	AgentName      *string
	InvocationKind *string
	ShowTopic      *string
	ShowPlayName   *string
	SourceKind     *string

	// Status is nil in old rows, which read as completed.
	Status             *string
	StartedAt          *float64
	EndedAt            *float64
	EndedAtApproximate bool
	LastMessageAt      *float64
	// ReasonCode and ReasonSummary say why the status is what it is.
	ReasonCode    *string
	ReasonSummary *string
	InvocationID  *string

	Model     *string
	Provider  *string
	Effort    *string
	AgentHash *string

	Project       *string
	ProjectSource *string
	// ArtifactsPath is an absolute folder.
	ArtifactsPath *string

	// JSON texts as stored, unparsed and possibly malformed.
	NodeMetadata         *string
	ArtifactContract     *string
	ArtifactVerification *string

	// TotalCostUSD is nil when no cost was ever reported: unknown is never 0.
	TotalCostUSD *float64
	InputTokens  *int64
	OutputTokens *int64

	// BranchCount and MessageCount come from the session's log when it has one
	// here, else from its branches and the lengths of their progressions.
	BranchCount  int64
	MessageCount int64

	// Tags are sorted; only filled when a query asked for them.
	Tags []string
}

// Order is the order of a listing.
type Order string

// The two orders.
const (
	// OrderRecent is by last update, newest first.
	OrderRecent Order = "recent"
	// OrderCost is by stored cost, highest first, unreported last.
	OrderCost Order = "cost"
)

// Filter selects rows; the zero Filter selects all but mirrors. Every part
// that is set must match.
type Filter struct {
	// Statuses match literally; "completed" also matches a missing status. Nil
	// means any; aliases are already expanded.
	Statuses []string
	// Kinds match invocation_kind; "agent" also matches a missing kind. Nil
	// means any; facets are already expanded.
	Kinds []string
	// Playbook and Search are contained, folding ASCII case only, in
	// playbook_name and in name or agent_name. Empty means any.
	Playbook string
	Search   string
	// Project matches exactly; empty means any. ProjectNull selects rows without
	// a project and wins over Project.
	Project     string
	ProjectNull bool
	// Tags must all be on the row; nil means any.
	Tags []string
}

// PageQuery asks for one numbered page of rows with the count of all.
type PageQuery struct {
	Filter Filter
	Order  Order
	Limit  int
	// Offset counts matching rows to skip.
	Offset   int64
	WithTags bool
}

// Page is one page and the number of rows that match in the whole store.
type Page struct {
	Rows  []Row
	Total int64
}

// ProjectCount is how many visible sessions carry one project label.
type ProjectCount struct {
	// Project is nil for sessions without one.
	Project      *string
	Count        int64
	LastActivity *float64
}

// Project is one registered project with its sessions counted.
type Project struct {
	Name        string
	Source      string
	Path        *string
	GitHub      *string
	Description *string
	CreatedAt   float64
	UpdatedAt   float64
	LastSeenAt  *float64
	Sessions    int64
	Running     int64
	// Agents and Playbooks are the most used ones, at most 20 each; only filled
	// when one project was asked for.
	Agents    []UseCount
	Playbooks []UseCount
}

// UseCount is how many sessions used a name.
type UseCount struct {
	Name string
	Runs int64
}

// Projects are all registered projects and the sessions outside them.
type Projects struct {
	Projects   []Project
	Unassigned int64
}
