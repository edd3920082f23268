select c.country, sum(o.amount) as revenue
from {{ ref('paid_orders') }} o
join {{ source('raw', 'raw_customers') }} c on c.customer_id = o.customer_id
group by c.country
