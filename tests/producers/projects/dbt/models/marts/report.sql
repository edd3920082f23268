select country, revenue{% if var('break_report') %}, no_such_column{% endif %} from {{ ref('revenue_by_country') }}
